import { plural } from "../../text";
import { defineView, press } from "../../view";
import style from "./style.css";
import { ChartView } from "./view";

export const chartView = defineView({
  name: "chart_view",
  title: "Chart",
  component: ChartView,
  says: ({ step }) =>
    step.value ? `column ${step.value.byte_begin}, ${plural(step.value.live.length, "live item")}` : "",
  style,
  keys: [{ keys: "e", what: "student mode: fill the chart's column by hand, and back", on: ["e"], act: press }],
});
