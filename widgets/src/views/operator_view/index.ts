import { defineView } from "../../view";
import style from "./style.css";
import { OperatorView } from "./view";

export const operatorView = defineView({
  name: "operator_view",
  title: "Operators",
  component: OperatorView,
  style,
});
