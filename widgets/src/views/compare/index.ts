import { defineView } from "../../view";
import style from "./style.css";
import { Compare } from "./view";

export const compare = defineView({
  name: "compare",
  title: "Compare",
  component: Compare,
  style,
});
