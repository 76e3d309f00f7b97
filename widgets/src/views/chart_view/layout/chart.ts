// Which Earley columns are shown, which are folded, and where each item stands. Pure.
//
// Columns go left to right, one lane a rule, so that an item keeps its height while the dot moves. The live column and those of the
// candidate always stay; earlier ones are dropped from the left, and a run of columns that say the same is folded into one.

import { cut } from "../../../text";
import { fromHex } from "../../../trace";
import { type ChartItem, type Explanation, PREDICT, type Program, START, type Step, type Trace } from "../../../wire";

export interface ShownItem {
  key: string;
  state: number;
  rule: number;
  origin: number;
  op: number | null; // null for the candidate's items, unless they were begun there: only predicting begins one
  at: [column: number, index: number] | null;
  done?: string | undefined; // of a counted rule's item, where that is known: how often its child has matched
}
export interface ShownColumn {
  column: number;
  byte: number | null; // the byte that leads into it
  kind: "past" | "live" | "candidate" | "dead" | "fold";
  folded: number;
  items: ShownItem[];
}

const bytesBefore = new WeakMap<readonly Step[], number[]>();
/** Bytes of the output; the same array as long as the steps are the same. */
export function outputBytes(steps: readonly Step[]): readonly number[] {
  let bytes = bytesBefore.get(steps);
  if (!bytes) {
    bytes = steps.flatMap((step) => fromHex(step.bytes));
    bytesBefore.set(steps, bytes);
  }
  return bytes;
}

/** A column of the chart never changes, so what is shown of it is made once, and its parts stay the same values. */
const shownBefore = new WeakMap<readonly ChartItem[], ShownItem[]>();
function shown(program: Program, items: readonly ChartItem[], column: number): ShownItem[] {
  let out = shownBefore.get(items);
  if (!out) {
    out = items.map(([state, origin, op], index) => ({
      key: `${column}:${index}`,
      state,
      rule: program.states[state]?.rule ?? 0,
      origin,
      op,
      at: [column, index],
    }));
    shownBefore.set(items, out);
  }
  return out;
}

/** Whether two neighbours say the same: the same states, begun at the same place or equally long ago. */
function same(a: readonly ChartItem[], b: readonly ChartItem[]): boolean {
  const order = (x: ChartItem, y: ChartItem) => x[0] - y[0] || x[1] - y[1];
  const [left, right] = [a.toSorted(order), b.toSorted(order)];
  return (
    left.length === right.length &&
    left.every((item, k) => {
      const other = right[k] as ChartItem;
      return item[0] === other[0] && (item[1] === other[1] || item[1] + 1 === other[1]);
    })
  );
}

/** All columns up to `live`, runs of equal ones folded (never the last two, where one looks). */
export function foldedPast(trace: Trace, live: number, bytes: readonly number[], most = 64): ShownColumn[] {
  const { columns } = trace.chart;
  const out: ShownColumn[] = [];
  let previous: ChartItem[] = [];
  for (let c = Math.max(0, live - most); c <= live && c < columns.length; c++) {
    const items = columns[c] as ChartItem[];
    const last = out.at(-1);
    const foldable = last && c < live - 1 && same(previous, items);
    if (foldable && last.kind === "fold") {
      last.folded++;
      last.column = c;
      last.byte = bytes[c - 1] ?? null;
    } else {
      const kind = c === live ? "live" : foldable ? "fold" : "past";
      out.push({
        column: c,
        byte: c > 0 ? (bytes[c - 1] ?? null) : null,
        kind,
        folded: foldable ? 1 : 0,
        items: shown(trace.program, items, c),
      });
    }
    previous = items;
  }
  // a run of one is no run
  for (const column of out)
    if (column.kind === "fold" && column.folded === 1) Object.assign(column, { kind: "past", folded: 0 });
  return out;
}

/** The columns a candidate would add: one a byte, up to the one it dies at. */
export function candidateColumns(live: number, why: Explanation | null): ShownColumn[] {
  if (!why) return [];
  return why.walk.map((step, k) => ({
    column: live + k + 1,
    byte: step.byte,
    kind: step.alive ? "candidate" : "dead",
    folded: 0,
    items: step.items.map((item, index) => ({
      key: `c${live + k + 1}:${index}`,
      state: item.state,
      rule: item.rule,
      origin: item.origin,
      op: item.origin === live + k + 1 ? PREDICT : null,
      at: null,
      done: item.done,
    })),
  }));
}

export const FOLD_WIDTH = 64;
export const DEAD_WIDTH = 92;
/** room for rules' names on the left, at least */
export const LANE_GUTTER = 104;
const MOST_GUTTER = 232;
/** a character of a name, at 12 px */
export const NAME_GLYPH = 7.25;

/** Room for the longest name, as long as a fifth of the width is enough: the same for all steps, so that nothing jitters. */
export function gutterOf(names: readonly string[], width: number): number {
  const wanted = Math.max(0, ...names.map((name) => [...name].length)) * NAME_GLYPH + 14;
  return Math.round(Math.max(LANE_GUTTER, Math.min(wanted, MOST_GUTTER, width / 5)));
}

/** A name on one line or two, broken after a joint if it has one there; only what two lines can't hold is cut. */
export function namedIn(name: string, glyphs: number): string[] {
  const all = [...name];
  if (all.length <= glyphs) return [name];
  const joint = all.slice(0, glyphs).findLastIndex((c) => "_-.".includes(c)) + 1;
  const first = joint > glyphs / 3 ? joint : glyphs;
  return [all.slice(0, first).join(""), cut(all.slice(first).join(""), glyphs)];
}
/** of a column whose items are written out */
export const LEAST_WIDTH = 164;
/** where not even the live column and the candidate's fit: items in their short form, a state and where it began */
const SHORT_WIDTH = 108;
const MOST = 244;
export interface Placed {
  column: ShownColumn;
  x: number;
  width: number;
}

/** The columns that fit: all of the candidate's (its last ones when there are many, those up to `keep` when that is an earlier one),
 * the live one, and past ones while room is left. */
export function placeColumns(
  past: readonly ShownColumn[],
  candidate: readonly ShownColumn[],
  width: number,
  keep: number | null = null,
  gutter = LANE_GUTTER,
): Placed[] {
  const room = width - gutter;
  let whole = LEAST_WIDTH;
  const need = (c: ShownColumn) => (c.kind === "fold" ? FOLD_WIDTH : c.kind === "dead" ? DEAD_WIDTH : whole);
  // the live column and the end of the candidate
  if ([...past.slice(-1), ...candidate.slice(-3)].reduce((n, c) => n + need(c), 0) > room) whole = SHORT_WIDTH;
  const live = past.at(-1);
  let used = live ? need(live) : 0;
  const before = used;
  const lastThatFit = (columns: readonly ShownColumn[]) => {
    const fit: ShownColumn[] = [];
    used = before;
    for (const c of columns.toReversed()) {
      if (used + need(c) > room && fit.length > 0) break;
      fit.unshift(c);
      used += need(c);
    }
    return fit;
  };
  let tail = lastThatFit(candidate);
  const kept = candidate.findIndex((c) => c.column === keep);
  if (kept >= 0 && kept < candidate.length - tail.length) tail = lastThatFit(candidate.slice(0, kept + 1));
  const head: ShownColumn[] = live ? [live] : [];
  for (const c of past.slice(0, -1).reverse()) {
    if (used + need(c) > room) break;
    head.unshift(c);
    used += need(c);
  }
  const chosen = [...head, ...tail];
  const grows = (c: ShownColumn) => c.kind !== "fold" && c.kind !== "dead";
  const growing = chosen.filter(grows).length;
  const spare = growing > 0 ? Math.max(0, Math.min(MOST - whole, (room - used) / growing)) : 0;
  let x = gutter;
  return chosen.map((column) => {
    const w = need(column) + (grows(column) ? spare : 0);
    x += w;
    return { column, x: x - w, width: w };
  });
}

export interface Lane {
  rule: number;
  y: number;
  rows: number;
}
const ROWS_A_LANE = 4;
/** of a grammar as written: a textbook's column lists its items */
export const ROWS_AS_WRITTEN = 12;

/** Items of a rule in a column, the telling ones first: moved before predicted, older before younger. */
export function laneItems(column: ShownColumn, rule: number): ShownItem[] {
  const early = (item: ShownItem) => (item.op === PREDICT || item.op === START ? 1 : 0);
  return column.items
    .filter((item) => item.rule === rule)
    .sort((a, b) => early(a) - early(b) || a.origin - b.origin || a.state - b.state);
}

export function lanesOf(placed: readonly Placed[], top: number, rowHeight: number, most = ROWS_A_LANE): Lane[] {
  const rows = new Map<number, number>();
  for (const { column } of placed) {
    const here = new Map<number, number>();
    for (const item of column.items) here.set(item.rule, (here.get(item.rule) ?? 0) + 1);
    for (const [rule, n] of here) rows.set(rule, Math.max(rows.get(rule) ?? 0, Math.min(n, most)));
  }
  let y = top;
  return [...rows.keys()]
    .sort((a, b) => a - b)
    .map((rule) => {
      const n = rows.get(rule) as number;
      y += n * rowHeight + 6;
      return { rule, y: y - n * rowHeight - 6, rows: n };
    });
}
