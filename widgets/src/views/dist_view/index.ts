import { defineView } from "../../view";
import style from "./style.css";
import { DistView } from "./view";

export const distView = defineView({
  name: "dist_view",
  title: "Distribution",
  component: DistView,
  place: "dist",
  style,
});
