import { defineView } from "../../view";
import { DispatchView } from "./view";

export const dispatchView = defineView({
  name: "dispatch_view",
  title: "Dispatch",
  component: DispatchView,
  place: "machine",
  leads: (trace) => trace.program.rules.some((rule) => rule.dispatch),
});
