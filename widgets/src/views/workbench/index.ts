import { defineView } from "../../view";
import style from "./style.css";
import { Workbench } from "./view";

export const workbench = defineView({
  name: "workbench",
  title: "Workbench",
  component: Workbench,
  style,
  holdsViews: true,
});
