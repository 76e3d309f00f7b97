import { plural } from "../../text";
import { defineView } from "../../view";
import style from "./style.css";
import { GrammarPad, GrammarViews } from "./view";

export const grammarPad = defineView({
  name: "grammar_pad",
  title: "Grammar",
  component: GrammarPad,
  says: ({ link }) => plural(link.trace.value?.program.rules.length ?? 0, "rule"),
  style,
  keys: [
    { keys: "F8 ctrl+. F12 esc tab", what: "in the editor: next finding, mend it, the rule, out of it" },
    { keys: "F2 ctrl+space ctrl+f", what: "in the editor: another name, words that may stand here, find and replace" },
  ],
});

/** A pane of the workbench alone: a grammar pad in a cell of its own has these views beside its source. */
export const grammarViews = defineView({ name: "grammar_views", title: "Rules", component: GrammarViews });
