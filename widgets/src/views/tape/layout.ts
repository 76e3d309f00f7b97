// Where the columns of the tape stand. Pure: steps and a width in, positions out.
//
// A column is as wide as its text. The window round the cursor grows to both sides while it fits, a little more to the left,
// because the past explains the present.
import { visible } from "../../text";
import type { Step } from "../../wire";

export const GUTTER = 92;
const MONO = 7.3;
const MIN = 44;
const MAX = 148;
const MAX_GLYPHS = Math.floor((MAX - 16) / MONO);

/** A token's text as the tape shows it: long ones lose their middle. */
export function tapeText(step: Step): string {
  if (step.kind === null) return step.terminated ? "■" : "?";
  const glyphs = [...visible(step.text ?? "")];
  if (glyphs.length <= MAX_GLYPHS) return glyphs.join("");
  return `${glyphs.slice(0, MAX_GLYPHS - 6).join("")}…${glyphs.slice(-5).join("")}`;
}

export const columnWidth = (step: Step): number =>
  Math.max(MIN, Math.min(MAX, Math.ceil([...tapeText(step)].length * MONO) + 16));

export interface Column {
  index: number;
  x: number;
  width: number;
}
export interface TapeWindow {
  from: number;
  to: number;
  columns: Column[];
  end: number;
}

export function tapeWindow(steps: readonly Step[], available: number, cursor: number): TapeWindow {
  const n = steps.length;
  if (n === 0) return { from: 0, to: 0, columns: [], end: GUTTER };
  const width = (k: number) => columnWidth(steps[k] as Step);
  let from = Math.max(0, Math.min(cursor, n - 1));
  let to = from + 1;
  let used = width(from);
  for (;;) {
    const preferLeft = from > 0 && (to >= n || cursor - from <= (to - cursor) * 1.1);
    const next = preferLeft ? from - 1 : to < n ? to : -1;
    if (next < 0) break;
    if (used + width(next) > available) break;
    used += width(next);
    if (preferLeft) from--;
    else to++;
  }
  const columns: Column[] = [];
  let x = GUTTER;
  for (let index = from; index < to; index++) {
    const w = width(index);
    columns.push({ index, x, width: w });
    x += w;
  }
  return { from, to, columns, end: x };
}

/** The overview, when steps outnumber pixels: each bin keeps its worst step. */
export interface Bin {
  first: number;
  lost: number;
  kind: Step["kind"];
}
export function overviewBins(steps: readonly Step[], pixels: number): Bin[] {
  const n = Math.max(1, Math.min(steps.length, Math.floor(pixels / 2)));
  const bins: Bin[] = [];
  for (let k = 0; k < n; k++) {
    const first = Math.floor((k * steps.length) / n);
    const last = Math.max(first + 1, Math.floor(((k + 1) * steps.length) / n));
    let lost = 0;
    for (const step of steps.slice(first, last)) lost = Math.max(lost, 1 - (step.z ?? 1));
    bins.push({ first, lost, kind: steps[first]?.kind ?? null });
  }
  return bins;
}

/** Height of a bar for a time in µs: log scale from 1 µs to 20 ms, the same in every session. */
export const logHeight = (us: number, height: number): number =>
  Math.max(1.5, (Math.min(Math.log10(Math.max(us, 1)), 4.3) / 4.3) * height);
/** Height for a count of tokens: log scale from 1 to the vocabulary. */
export const countHeight = (n: number, vocabulary: number, height: number): number =>
  n <= 0 ? 0 : Math.max(1.5, (Math.log(n + 1) / Math.log(vocabulary + 1)) * height);
