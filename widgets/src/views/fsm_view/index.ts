import { innermost, ruleInFocus, ruleOf, stateName } from "../../trace";
import { defineView, press } from "../../view";
import { drawnIn } from "../chart_view/grammar";
import { modeOf, placeIn } from "../chart_view/written";
import style from "./style.css";
import { FsmView } from "./view";

export const fsmView = defineView({
  name: "fsm_view",
  title: "FSM",
  component: FsmView,
  says: (store) => {
    const { trace, step } = drawnIn(store, modeOf(store).value);
    const rule = trace && ruleOf(trace.program, ruleInFocus(trace, placeIn(store, trace), step));
    const live = innermost(step);
    return rule ? `${rule.name}${live && trace ? `, live at ${stateName(trace.program, live.state)}` : ""}` : "";
  },
  style,
  keys: [{ keys: "p", what: "the machine before and after each pass", on: ["p"], act: press }],
});
