import { defineView } from "../../view";
import style from "./style.css";
import { CostTable } from "./view";

export const costTable = defineView({
  name: "cost_table",
  title: "Cost",
  component: CostTable,
  style,
});
