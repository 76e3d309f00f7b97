import { innermost, ruleInFocus, ruleOf, stateName } from "../../trace";
import { defineView, press } from "../../view";
import style from "./style.css";
import { FsmView } from "./view";

export const fsmView = defineView({
  name: "fsm_view",
  title: "FSM",
  component: FsmView,
  says: ({ link, selection, step }) => {
    const trace = link.trace.value;
    const rule = trace && ruleOf(trace.program, ruleInFocus(trace, selection.value));
    const live = innermost(step.value);
    return rule ? `${rule.name}${live && trace ? `, live at ${stateName(trace.program, live.state)}` : ""}` : "";
  },
  style,
  keys: [{ keys: "p", what: "the machine before and after each pass", on: ["p"], act: press }],
});
