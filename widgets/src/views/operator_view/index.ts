import { defineView } from "../../view";
import { OperatorView } from "./view";

export const operatorView = defineView({
  name: "operator_view",
  title: "Operators",
  component: OperatorView,
  place: "machine",
});
