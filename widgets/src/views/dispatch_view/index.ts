import { defineView } from "../../view";
import style from "./style.css";
import { DispatchView } from "./view";

export const dispatchView = defineView({
  name: "dispatch_view",
  title: "Dispatch",
  component: DispatchView,
  style,
  leads: (trace) => trace.program.rules.some((rule) => rule.dispatch),
});
