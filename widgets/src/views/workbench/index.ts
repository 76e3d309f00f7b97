import { defineView } from "../../view";
import { Workbench } from "./view";

export const workbench = defineView({
  name: "workbench",
  title: "Workbench",
  component: Workbench,
  place: null,
  holdsViews: true,
});
