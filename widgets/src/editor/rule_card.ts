// A rule's name under the pointer: its uses light up, a card says what is known of it.

import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { h, render } from "preact";
import { plural } from "../kit";
import type { RuleFacts } from "../wire";
import { spelling } from "./cm_marks";
import { nameAt } from "./spelling";

const HOVER_MS = 250;

export interface RuleCardWishes {
  factsOf: (rule: string) => RuleFacts | null;
  heatOf: (rule: string) => string | null;
  /** light up all places of a rule, or none */
  light: (rule: string | null) => void;
}

export const ruleCards = (wishes: RuleCardWishes): Extension =>
  hoverTooltip(
    (view, pos) => {
      const { runs, rules, kind } = view.state.field(spelling);
      const found = nameAt(view.state.doc.toString(), runs, pos, kind);
      if (!found || !rules.definitions.has(found.name)) return null;
      const { name, run } = found;
      const create = () => {
        const dom = document.createElement("div");
        dom.className = "float rule-card";
        const [facts, heat] = [wishes.factsOf(name), wishes.heatOf(name)];
        const uses = plural(rules.uses.get(name)?.length ?? 0, "use");
        const head = h("p", null, [h("code", null, h("b", null, name)), h("span", { class: "faint" }, ` ${uses}`)]);
        const body = facts && h("p", { class: "dim mono clip" }, facts.body);
        render(h("div", null, [head, body, heat && h("p", { class: "dim" }, heat)]), dom);
        return { dom, mount: () => wishes.light(name), destroy: () => wishes.light(null) };
      };
      return { pos: run.from, end: run.to, above: false, create };
    },
    { hoverTime: HOVER_MS },
  );
