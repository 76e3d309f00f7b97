// Examples as they are shown: cut at the byte they died at, counted, found in a session's output. Pure.
import { outputBytes } from "../kit";
import type { BenchRow, Step } from "../wire";

export type Shown = "all" | "disagree" | "incomplete";
export const MOST_SHOWN = 200;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const isAt = (row: BenchRow, shown: Shown): boolean =>
  shown === "all" || (shown === "disagree" ? row.agrees === false : row.verdict === "incomplete");

export interface Cut {
  before: string;
  dead: string;
  after: string;
}
/** An example in three: what was read, the character that could not be, the rest. Long ones lose their beginning. */
export function cutAtByte(row: BenchRow, most = 44): Cut {
  const bytes = encoder.encode(row.text);
  const at = row.died_at ?? bytes.length;
  const before = decoder.decode(bytes.subarray(0, at));
  const [dead = "", ...rest] = [...decoder.decode(bytes.subarray(at))];
  const shown = [...before].length > most && row.died_at !== null ? `…${[...before].slice(-most).join("")}` : before;
  return { before: shown, dead, after: rest.join("") };
}

export function verdictText(row: BenchRow): string {
  if (row.verdict === null) return "not judged";
  return row.died_at === null ? row.verdict : `reject at byte ${row.died_at}`;
}

/** How many rows disagree, in words; nothing where nothing was judged. */
export function countText(rows: readonly BenchRow[]): string {
  const judged = rows.filter((row) => row.agrees !== null);
  if (judged.length === 0) return "";
  const n = judged.filter((row) => row.agrees === false).length;
  return n === 0 ? `all ${rows.length} agree` : `${n} of ${rows.length} disagree`;
}

export interface Place {
  step: number;
  byte: number;
}
/** Where the session's output has an example's byte: the one it died at, else its last; null if the output is another. */
export function placeIn(steps: readonly Step[], row: BenchRow): Place | null {
  const [bytes, output] = [encoder.encode(row.text), outputBytes(steps)];
  const read = row.died_at ?? bytes.length;
  if (output.length < read || bytes.subarray(0, read).some((byte, k) => byte !== output[k])) return null;
  const byte = row.died_at ?? Math.max(0, bytes.length - 1);
  const step = steps.findLast((one) => one.byte_begin <= byte);
  return step ? { step: step.index, byte } : null;
}
