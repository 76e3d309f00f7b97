import { defineView, press } from "../../view";
import { ChartView } from "./view";

export const chartView = defineView({
  name: "chart_view",
  title: "Chart",
  component: ChartView,
  place: "chart",
  keys: [{ keys: "e", what: "student mode: fill the chart's column by hand, and back", on: ["e"], act: press }],
});
