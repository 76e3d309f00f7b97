// What the editor shows in and beside the text: ink, findings, uses of a rule, the parser's place, bars in the gutter.
import { type Extension, RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import { h, render } from "preact";
import { Glyph } from "../parts/glyphs";
import { coded } from "./coded";
import type { Finding, PadKind, Severity } from "./pad_wire";
import { type RuleIndex, type Run, rulesOf, runsOf } from "./spelling";

/** A finding at its place in the editor's units. */
export interface Placed extends Finding {
  from: number;
  to: number;
}
export interface Area {
  from: number;
  to: number;
  cls: string;
}
/** A bar beside a line: `level` from 0 to 5, or a class. */
export type Bars = ReadonlyMap<number, string>;

export const setFindings = StateEffect.define<{ findings: readonly Placed[]; fresh: boolean }>();
export const setAreas = StateEffect.define<readonly Area[]>();
export const setBars = StateEffect.define<Bars>();
export const setKind = StateEffect.define<PadKind>();
export const openFinding = StateEffect.define<{ finding: Placed; mend: () => void } | null>();

// ---- Ink: by the spelling, within what is on screen ---------------------------------------------------------------------

export interface Spelling {
  kind: PadKind;
  runs: Run[];
  rules: RuleIndex;
}
const MOST_SPELLED = 300_000; // units of text; a longer one has no inks
const spelled = (text: string, kind: PadKind): Spelling => {
  const runs = text.length <= MOST_SPELLED ? runsOf(text, kind) : [];
  return { kind, runs, rules: rulesOf(text, runs, kind) };
};

export const spelling = StateField.define<Spelling>({
  create: (state) => spelled(state.doc.toString(), "ebnf"),
  update(value, tr) {
    let kind = value.kind;
    for (const effect of tr.effects) if (effect.is(setKind)) kind = effect.value;
    return tr.docChanged || kind !== value.kind ? spelled(tr.newDoc.toString(), kind) : value;
  },
});

const INKS = new Map<string, Decoration>();
const inkOf = (name: string): Decoration => {
  let mark = INKS.get(name);
  if (!mark) {
    mark = Decoration.mark({ class: `ink-${name}` });
    INKS.set(name, mark);
  }
  return mark;
};
const inks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = this.made(view);
    }
    update(update: ViewUpdate) {
      if (
        update.docChanged ||
        update.viewportChanged ||
        update.startState.field(spelling) !== update.state.field(spelling)
      )
        this.decorations = this.made(update.view);
    }
    made(view: EditorView): DecorationSet {
      const builder = new RangeSetBuilder<Decoration>();
      const { from, to } = view.viewport;
      for (const run of view.state.field(spelling).runs)
        if (run.to > from && run.from < to) builder.add(run.from, run.to, inkOf(run.ink));
      return builder.finish();
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

// ---- Findings: they move with the text until there are others -------------------------------------------------------------

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
    const box = document.createElement("div");
    box.className = `said ${severity}`;
    const words = [
      h("b", null, coded(message)),
      " ",
      h("span", { class: "faint" }, code),
      " ",
      h("span", null, coded(hint)),
      " ",
    ];
    const button = fix && h("button", { type: "button", class: "link", onMouseDown: this.mend }, fix.title);
    render(h("div", null, words, button), box);
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

// ---- Areas: what the views of a session point at -------------------------------------------------------------------------------

const areas = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, tr) {
    let set = tr.docChanged ? value.map(tr.changes) : value;
    for (const effect of tr.effects)
      if (effect.is(setAreas)) {
        const within = effect.value.filter(({ from, to }) => from < to && to <= tr.newDoc.length);
        set = Decoration.set(
          within.map(({ from, to, cls }) => Decoration.mark({ class: cls }).range(from, to)),
          true,
        );
      }
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Bar extends GutterMarker {
  constructor(readonly name: string) {
    super();
  }
  override eq(other: Bar) {
    return other.name === this.name;
  }
  override toDOM() {
    const bar = document.createElement("i");
    bar.className = `bar ${this.name}`;
    return bar;
  }
}
const bars = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(value, tr) {
    let set = tr.docChanged ? value.map(tr.changes) : value;
    for (const effect of tr.effects)
      if (effect.is(setBars)) {
        const lines = [...effect.value].filter(([line]) => line >= 1 && line <= tr.newDoc.lines);
        set = RangeSet.of(
          lines.map(([line, name]) => new Bar(name).range(tr.newDoc.line(line).from)),
          true,
        );
      }
    return set;
  },
});
const NO_BAR = new Bar("none");
const barGutter = gutter({ class: "cm-bars", markers: (view) => view.state.field(bars), initialSpacer: () => NO_BAR });

export const marks: Extension = [spelling, inks, found, opened, areas, bars, glyphGutter, lineNumbers(), barGutter];
