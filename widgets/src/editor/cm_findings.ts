// Findings in the editor: a wave below what is meant, a glyph in the gutter, and the words of one of them below its line.

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter, WidgetType } from "@codemirror/view";
import { h, render } from "preact";
import { Glyph } from "../kit";
import type { Finding, Severity } from "../wire";
import { coded } from "./coded";

/** A finding at its place in the editor's units. */
export interface Placed extends Finding {
  from: number;
  to: number;
}
export const setFindings = StateEffect.define<{ findings: readonly Placed[]; fresh: boolean }>();
export const openFinding = StateEffect.define<{ finding: Placed; mend: () => void } | null>();

// ---- They move with the text until there are others -------------------------------------------------------------

const found = StateField.define<{ set: DecorationSet; fresh: boolean }>({
  create: () => ({ set: Decoration.none, fresh: true }),
  update(value, tr) {
    let { set, fresh } = value;
    if (tr.docChanged) [set, fresh] = [set.map(tr.changes), false];
    for (const effect of tr.effects)
      if (effect.is(setFindings)) {
        fresh = effect.value.fresh;
        const marks = effect.value.findings.map((f) =>
          Decoration.mark({ class: `found ${f.severity}`, finding: f, inclusive: false }).range(f.from, f.to),
        );
        set = Decoration.set(marks, true);
      }
    return set === value.set && fresh === value.fresh ? value : { set, fresh };
  },
  provide: (field) => EditorView.decorations.from(field, ({ set }) => set),
});

/** The findings where they are now, in the order of the text. */
export function findingsNow(view: EditorView): Placed[] {
  const out: Placed[] = [];
  for (const at = view.state.field(found).set.iter(); at.value; at.next())
    out.push({ ...(at.value.spec.finding as Placed), from: at.from, to: at.to });
  return out;
}

class GlyphMarker extends GutterMarker {
  constructor(readonly severity: Severity) {
    super();
  }
  override eq(other: GlyphMarker) {
    return other.severity === this.severity;
  }
  override toDOM() {
    const box = document.createElement("span");
    render(h(Glyph, { shape: this.severity }), box);
    return box;
  }
}
const GLYPHS = { error: new GlyphMarker("error"), warning: new GlyphMarker("warning"), hint: new GlyphMarker("hint") };
const WORST: readonly Severity[] = ["error", "warning", "hint"];

const glyphGutter = gutter({
  class: "cm-diag",
  lineMarker(view, line) {
    const here = new Set<Severity>();
    view.state.field(found).set.between(line.from, line.to, (from, _to, mark) => {
      if (from >= line.from) here.add((mark.spec.finding as Placed).severity);
    });
    const worst = WORST.find((severity) => here.has(severity));
    return worst ? GLYPHS[worst] : null;
  },
  lineMarkerChange: (update) => update.startState.field(found) !== update.state.field(found),
  initialSpacer: () => GLYPHS.hint,
});

// ---- The open finding: its words under its line -----------------------------------------------------------------------------

class Words extends WidgetType {
  constructor(
    readonly finding: Placed,
    readonly mend: () => void,
  ) {
    super();
  }
  override eq(other: Words) {
    return other.finding.code === this.finding.code && other.finding.message === this.finding.message;
  }
  override toDOM() {
    const { severity, code, message, hint, fix } = this.finding;
    const box = document.createElement("div"); // a margin would put the gutter's numbers beside other lines
    box.className = "said-box";
    const words = [
      h("b", null, coded(message)),
      " ",
      h("span", { class: "faint" }, code),
      " ",
      h("span", null, coded(hint)),
      " ",
    ];
    const button = fix && h("button", { type: "button", class: "link", onMouseDown: this.mend }, fix.title);
    render(h("div", { class: `said ${severity}` }, words, button), box);
    return box;
  }
}
const opened = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, tr) {
    let set = tr.docChanged ? Decoration.none : value;
    for (const effect of tr.effects)
      if (effect.is(openFinding)) {
        const open = effect.value;
        const place = open && tr.newDoc.lineAt(Math.min(open.finding.from, tr.newDoc.length)).to;
        set =
          open === null
            ? Decoration.none
            : Decoration.set(
                Decoration.widget({ widget: new Words(open.finding, open.mend), block: true, side: 1 }).range(
                  place ?? 0,
                ),
              );
      }
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});
export const isOpen = (view: EditorView): boolean => view.state.field(opened).size > 0;

export const findingMarks: Extension = [found, opened, glyphGutter];
