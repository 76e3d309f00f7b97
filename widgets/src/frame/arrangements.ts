// The three arrangements of the workbench, for each class of width, and what a lesson shows. Pure.
//
//   step    what happens and why: text and tape on top, the mask beside why, below them a dock
//   author  typing is left, what judges the text is right
//   debug   why first, then who took the mass, what it cost, and what differs
//
// A view that no arrangement names, such as one that was just added, is a tab of the dock; an arrangement without a dock has it closed.
import { kept, type LeastOf, type Node, split, stack, stackOf, viewsOf } from "./layout";

export const ARRANGEMENTS = ["step", "author", "debug"] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];
/** By the width of the workbench's own box; the narrow one is an accordion. */
export type Width = "narrow" | "cell" | "tab" | "wide";
export const widthClass = (width: number): Width =>
  width < 760 ? "narrow" : width < 1100 ? "cell" : width < 1560 ? "tab" : "wide";

/** Least widths and heights, in pixels. */
const LEAST: Readonly<Record<string, readonly [number, number]>> = {
  mask_lens: [408, 250],
  why_card: [420, 240],
  tape: [280, 126],
  text_view: [280, 36],
  grammar_pad: [420, 200],
};
const PLAIN = [280, 120] as const;
/** Tabs share a pane: it is as wide as the widest needs, and as high as a dock. */
const DOCK_PX = 150;
export const leastOf: LeastOf = (views) => {
  const [width, height] = [0, 1].map((axis) =>
    Math.max(...views.map((view) => (LEAST[view] ?? PLAIN)[axis] as number)),
  );
  return [width as number, views.length > 1 ? DOCK_PX : (height as number)];
};

/** alt 1 to alt 9, in every arrangement. */
export const NUMBERED = [
  "text_view",
  "tape",
  "mask_lens",
  "why_card",
  "dist_view",
  "fsm_view",
  "chart_view",
  "cache_view",
  "grammar_pad",
] as const;
const COSTS = ["cache_view", "timeline_view", "cost_table"];
const CHECKS = ["compare", "audit", "lockstep_view"];
const MACHINES = ["fsm_view", "dispatch_view", "operator_view", "chart_view"];
const SOURCE = ["grammar_pad", "example_bench", "sampler", "grammar_views"];
const MODEL = ["dist_view", "beam_view"];

const text = stack("text", "text_view");
const tape = stack("tape", "tape");
const mask = stack("mask", "mask_lens");
const why = stack("why", "why_card");
const source = stack("source", "grammar_pad");
const examples = stack("examples", "example_bench", "sampler");
const rules = stack("rules", "grammar_views");
const candidates = stack("dist", ...MODEL);
const compare = stack("compare", ...CHECKS);

const MADE: Record<Arrangement, Record<Exclude<Width, "narrow">, Node>> = {
  step: {
    cell: split(
      "column",
      [text, 84],
      [tape, 134],
      [split("row", [mask, 440], [why, null]), null],
      [stack("dock", ...MACHINES, ...MODEL, ...COSTS, ...CHECKS, ...SOURCE), 160],
    ),
    tab: split(
      "column",
      [text, 84],
      [tape, 134],
      [split("row", [mask, 496], [why, null]), null],
      [
        split(
          "row",
          [stack("dock", ...MACHINES, ...COSTS, ...CHECKS), null],
          [stack("dist", ...MODEL, ...SOURCE), null],
        ),
        200,
      ],
    ),
    wide: split(
      "row",
      [split("column", [text, 222], [stack("source", ...SOURCE), null]), 384],
      [
        split(
          "column",
          [tape, 222],
          [split("row", [mask, 688], [why, null]), null],
          [split("row", [stack("dock", ...MACHINES), null], [stack("dist", ...MODEL, ...COSTS, ...CHECKS), null]), 288],
        ),
        null,
      ],
    ),
  },
  author: {
    cell: split("row", [source, 568], [split("column", [examples, 296], [rules, null]), null]),
    tab: split("row", [source, 560], [split("column", [examples, 320], [rules, null]), null]),
    wide: split(
      "row",
      [source, 860],
      [split("column", [examples, null], [stack("mask", "mask_lens"), null]), 480],
      [split("column", [rules, null], [stack("dock", "fsm_view", "chart_view"), null]), null],
    ),
  },
  debug: {
    cell: split(
      "column",
      [text, 36],
      [split("row", [why, 588], [candidates, null]), null],
      [split("row", [stack("dock", ...COSTS, ...MACHINES), 588], [compare, null]), 206],
    ),
    tab: split(
      "column",
      [text, 36],
      [split("row", [why, 660], [candidates, null]), null],
      [split("row", [stack("dock", ...COSTS, ...MACHINES), 660], [compare, null]), 214],
    ),
    wide: split(
      "column",
      [tape, 134],
      [
        split(
          "row",
          [split("column", [why, null], [stack("dock", ...COSTS, "chart_view"), 244]), 760],
          [
            split("column", [candidates, null], [stack("machine", "fsm_view", "dispatch_view", "operator_view"), 244]),
            500,
          ],
          [split("column", [mask, 342], [compare, null]), null],
        ),
        null,
      ],
    ),
  },
};

const addTo = (node: Node, id: string, more: readonly string[]): Node =>
  "parts" in node
    ? { ...node, parts: node.parts.map((part) => ({ ...part, of: addTo(part.of, id, more) })) }
    : node.id === id
      ? { ...node, views: [...node.views, ...more] }
      : node;
/** An arrangement as it is before the reader changes it, of the views that there are. */
export function made(arrangement: Arrangement, width: Width, views: readonly string[]): Node {
  const whole = MADE[arrangement][width === "narrow" ? "cell" : width];
  const named = new Set(Object.values(MADE).flatMap((one) => Object.values(one).flatMap(viewsOf)));
  const added = views.filter((view) => !named.has(view));
  return kept(addTo(whole, "dock", added), (view) => views.includes(view));
}

/** The stacks that a view is a tab of before anything is changed: a view that is opened again goes to these neighbours. */
export const neighboursOf = (view: string, arrangement: Arrangement, width: Width): readonly string[] => {
  const home = stackOf(MADE[arrangement][width === "narrow" ? "cell" : width], view);
  if (home) return home.views;
  return [MACHINES, COSTS, CHECKS, SOURCE].find((group) => group.includes(view)) ?? [];
};

const STRIPS: Readonly<Record<string, number>> = { text_view: 84, tape: 134 };
/** The layout of a lesson that names its panes: strips on top, then two panes beside each other, the others as tabs below. */
export function lessonOf(views: readonly string[], width: Width): Node {
  const strips = views.filter((view) => view in STRIPS);
  const [first, second, ...others] = views.filter((view) => !(view in STRIPS));
  const rows: [Node, number | null][] = strips.map((view) => [
    stack(view, view),
    first ? (STRIPS[view] ?? null) : null,
  ]);
  if (first && second) {
    const share = { narrow: 0, cell: 440, tab: 496, wide: 688 }[width];
    rows.push([split("row", [stack(first, first), share], [stack(second, second), null]), null]);
  } else if (first) rows.push([stack(first, first), null]);
  if (others.length > 0) rows.push([stack("dock", ...others), width === "wide" ? 288 : 180]);
  const [row] = rows;
  return rows.length === 1 && row ? row[0] : split("column", ...rows);
}

/** The rows of the accordion: the arrangement's own views first, then the others. The first few are open. */
export function rowsOf(arrangement: Arrangement, views: readonly string[]): { rows: string[]; open: string[] } {
  const open = {
    step: ["text_view", "tape", "mask_lens", "why_card"],
    author: ["grammar_pad", "example_bench"],
    debug: ["text_view", "why_card", ...MODEL],
  }[arrangement];
  const order = [...open, ...NUMBERED, ...views];
  const rows = [...new Set(order)].filter((view) => views.includes(view));
  return { rows, open: open.filter((view) => views.includes(view)) };
}
