import { defineView, press } from "../../view";
import style from "./style.css";
import { FsmView } from "./view";

export const fsmView = defineView({
  name: "fsm_view",
  title: "FSM",
  component: FsmView,
  place: "machine",
  style,
  keys: [{ keys: "p", what: "the machine before and after each pass", on: ["p"], act: press }],
});
