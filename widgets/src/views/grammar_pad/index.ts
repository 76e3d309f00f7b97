import { defineView } from "../../view";
import style from "./style.css";
import { GrammarPad } from "./view";

export const grammarPad = defineView({
  name: "grammar_pad",
  title: "Grammar",
  component: GrammarPad,
  place: "source",
  style,
  keys: [
    { keys: "F8 F12 esc tab", what: "in the editor: next finding, the rule, out of it" },
    { keys: "F2 ctrl+space ctrl+f", what: "in the editor: another name, words that may stand here, find and replace" },
  ],
});
