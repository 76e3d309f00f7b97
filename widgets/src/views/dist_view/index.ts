import { defineView } from "../../view";
import { DistView } from "./view";

export const distView = defineView({
  name: "dist_view",
  title: "Distribution",
  component: DistView,
  place: "dist",
});
