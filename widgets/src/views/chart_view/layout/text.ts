// What the chart says in words: what an item passed last, what may follow, how it came to be, who waits for it. Pure.
import { edgesFrom } from "../../../trace";
import { type ChartItem, COMPLETE, PREDICT, type Program, SCAN, START, type Trace, type WaysRow } from "../../../wire";

export interface Waiting {
  rule: number;
  state: number;
  column: number;
}

/** The parents that wait for an item's rule, innermost first: each was what predicted the one below it. */
export function waitingFor(trace: Trace, rule: number, origin: number): Waiting[] {
  const out: Waiting[] = [];
  const { columns } = trace.chart;
  const seen = new Set<string>();
  let [r, o] = [rule, origin];
  for (;;) {
    const rule = trace.program.rules[r];
    const starts = rule?.starts ?? [rule?.start];
    const predicted = columns[o]?.find(([state, at, op]) => starts.includes(state) && at === o && op === PREDICT);
    const parent = predicted && columns[predicted[3]]?.[predicted[4]];
    if (!parent) return out;
    const [state, parentOrigin] = parent;
    const key = `${state}:${parentOrigin}`;
    if (seen.has(key)) return out;
    seen.add(key);
    r = trace.program.states[state]?.rule ?? 0;
    out.push({ rule: r, state, column: o });
    o = parentOrigin;
  }
}

const waysBefore = new WeakMap<readonly WaysRow[], Map<string, WaysRow>>();
/** The row of an item that was made in several ways, by "column:index". */
export function waysOf({ chart: { ways } }: Trace, key: string): WaysRow | undefined {
  if (!ways?.length) return undefined;
  const rows = waysBefore.get(ways) ?? new Map(ways.map((row) => [`${row[0]}:${row[1]}`, row]));
  waysBefore.set(ways, rows);
  return rows.get(key);
}

/** Other ways of an item as if each had made an item of its own. */
export function otherWays(row: WaysRow | undefined): ChartItem[] {
  const out: ChartItem[] = [];
  for (let k = 3; k < (row?.length ?? 0); k += 5) out.push([0, 0, ...(row as WaysRow).slice(k, k + 5)] as never);
  return out;
}

/** Labels of the edges that leave a state, each once. */
export const onward = (program: Program, state: number): string[] => [
  ...new Set(edgesFrom(program, state).map((e) => e.label)),
];

/** What the dot of this very item passed last: the edge that was taken, or the rule that was completed. */
export function passed(trace: Trace, item: ChartItem, byte: number | null): string {
  const [state, , op, sourceColumn, sourceIndex, childColumn, childIndex] = item;
  const { program, chart } = trace;
  if (op === COMPLETE) {
    const child = chart.columns[childColumn]?.[childIndex];
    return program.rules[program.states[child?.[0] ?? -1]?.rule ?? -1]?.name ?? "";
  }
  if (op !== SCAN) return "";
  const from = chart.columns[sourceColumn]?.[sourceIndex]?.[0];
  const taken = edgesFrom(program, from ?? -1).find(
    (e) => e.to === state && e.ranges.some(([lo, hi]) => byte !== null && lo <= byte && byte <= hi),
  );
  return taken?.label ?? program.states[state]?.before ?? "";
}

/** How often a counted rule's child has matched, after other words. */
export const doneText = (done: string | undefined): string => (done === undefined ? "" : `, ${done} done`);

/** The end of a text in at most `glyphs` characters. */
export function tail(text: string, glyphs: number): string {
  const all = [...text];
  return all.length <= glyphs ? text : `…${all.slice(all.length - Math.max(1, glyphs - 1)).join("")}`;
}
/** The beginning of a text in at most `glyphs` characters. */
export function head(text: string, glyphs: number): string {
  const all = [...text];
  return all.length <= glyphs ? text : `${all.slice(0, Math.max(1, glyphs - 1)).join("")}…`;
}

/** A dotted item in at most `glyphs` characters: the text next to the dot stays, what is left out is far from it. */
export function dotted(before: string, after: readonly string[], glyphs: number): [before: string, after: string] {
  const room = Math.max(2, glyphs - 3);
  const rest = after.join(" | ");
  const [left, right] = [[...before].length, [...rest].length];
  if (left + right <= room) return [before, rest];
  const half = Math.floor(room / 2);
  const forLeft = right <= half ? room - right : Math.min(left, Math.max(half, room - right));
  const kept = tail(before, forLeft);
  const forRight = Math.max(1, room - [...kept].length);
  // of several labels whole ones stay
  for (let n = after.length - 1; n > 0; n--) {
    const some = `${after.slice(0, n).join(" | ")} | …`;
    if ([...some].length <= forRight) return [kept, some];
  }
  return [kept, head(rest, forRight)];
}

/** What stands between a state's text before and after its dot: inside a literal the dot has no spaces round it. */
export const dotOf = (state: { before: string; after: string; tight?: boolean } | undefined): string =>
  state?.tight ? "•" : `${state?.before ? " " : ""}•${state?.after ? " " : ""}`;

/** Whether a rule, or one of its alternatives, begins in a state. */
export function isStart(program: Program, state: number): boolean {
  const rule = program.rules[program.states[state]?.rule ?? -1];
  return (rule?.starts ?? [rule?.start]).includes(state);
}

/** What made an item, as a sentence. */
export function story(trace: Trace, item: ChartItem, column: number): string {
  const [, , op, sourceColumn, , childColumn, childIndex] = item;
  const child = childIndex >= 0 ? trace.chart.columns[childColumn]?.[childIndex] : undefined;
  const name = (state: number | undefined) =>
    trace.program.rules[trace.program.states[state ?? -1]?.rule ?? -1]?.name ?? "";
  if (op === START) return "where everything begins";
  if (op === PREDICT) return `predicted in column ${sourceColumn}, because the dot is before ${name(item[0])}`;
  if (op === SCAN) return `scanned: the byte between columns ${sourceColumn} and ${column}`;
  return `${name(child?.[0])} is complete: back to column ${sourceColumn}, move the dot there, into column ${column}`;
}
