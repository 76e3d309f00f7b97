// A word under the pointer: the kernel's card of it; of a rule the uses light up, and what a run measured is said.

import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { h, render } from "preact";
import { plural } from "../kit";
import { CardText } from "./card_text";
import { spelling } from "./cm_marks";
import type { Card } from "./help";
import { nameAt } from "./spelling";

const HOVER_MS = 250;

export interface RuleCardWishes {
  card: (at: number) => Promise<Card | null>;
  usesOf: (rule: string) => number;
  heatOf: (rule: string) => string | null;
  /** light up all places of a rule, or none */
  light: (rule: string | null) => void;
}

export const ruleCards = (wishes: RuleCardWishes): Extension =>
  hoverTooltip(
    async (view, pos) => {
      const { runs, rules, kind } = view.state.field(spelling);
      const found = nameAt(view.state.doc.toString(), runs, pos, kind);
      const name = found && rules.definitions.has(found.name) ? found.name : null;
      const card = await wishes.card(pos);
      const place = card ?? (name && found ? found.run : null);
      if (!place) return null;
      const create = () => {
        const dom = document.createElement("div");
        dom.className = "float rule-card";
        const head =
          name &&
          h("p", null, [
            h("code", null, h("b", null, name)),
            h("span", { class: "faint" }, ` ${plural(wishes.usesOf(name), "use")}`),
          ]);
        const heat = name && wishes.heatOf(name);
        render(
          h("div", null, [head, card && h(CardText, { text: card.text }), heat && h("p", { class: "dim" }, heat)]),
          dom,
        );
        return { dom, mount: () => wishes.light(name), destroy: () => wishes.light(null) };
      };
      return { pos: place.from, end: place.to, above: false, create };
    },
    { hoverTime: HOVER_MS },
  );
