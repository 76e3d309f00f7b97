// What the editor shows in and beside the text: ink, uses of a rule, the parser's place, bars in the gutter; findings with them.
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
} from "@codemirror/view";
import type { PadKind } from "../wire";
import { findingMarks } from "./cm_findings";
import { type RuleIndex, type Run, rulesOf, runsOf } from "./spelling";

export interface Area {
  from: number;
  to: number;
  cls: string;
}
/** A bar beside a line: `level` from 0 to 5, or a class. */
export type Bars = ReadonlyMap<number, string>;

export const setAreas = StateEffect.define<readonly Area[]>();
export const setBars = StateEffect.define<Bars>();
export const setKind = StateEffect.define<PadKind>();

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

export const marks: Extension = [spelling, inks, areas, bars, findingMarks, lineNumbers(), barGutter];
