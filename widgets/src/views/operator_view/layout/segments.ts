// The output cut by operator: steps whose tokens one operator wrote, side by side. Pure.
import type { Step } from "../../../wire";

/** Steps from `first` to `last`, indices into the steps that were given. */
export interface Segment {
  first: number;
  last: number;
  /** null: one of several operators wrote it, and nothing says which */
  writer: number | null;
  /** what wrote it, in words */
  text: string;
}

/** Decided steps, cut where another operator wrote. */
export function segmentsOf(steps: readonly Step[]): Segment[] {
  const out: Segment[] = [];
  for (const [k, { written }] of steps.entries()) {
    if (!written) continue;
    const { writer, text, begins } = written;
    const before = out.at(-1);
    if (before && !begins) Object.assign(before, { last: k, text });
    else out.push({ first: k, last: k, writer, text });
  }
  return out;
}
