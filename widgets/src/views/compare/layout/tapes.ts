// Where the tokens of two tapes stand: a column a byte, so that both are aligned by the text's bytes. Pure.
import type { TapeTokens } from "../../../wire";

export const BYTE_WIDTH = 10;
const LEAST = 3; // bytes that a token without any takes: a special one at the end

export interface Cell {
  index: number;
  text: string;
  /** in columns of a byte */
  from: number;
  n: number;
}

/** Each token with its columns; `end` is where the text ends. */
export const cellsOf = (tokens: TapeTokens, end: number): Cell[] =>
  tokens.map(([from, text], index) => {
    const to = tokens[index + 1]?.[0] ?? end;
    return { index, text, from, n: to > from ? to - from : LEAST };
  });

/** The first column to show: where it was, unless the cursor's would be out of sight; then it stands at a third. */
export function windowOf(was: number, cursor: number, n: number, end: number): number {
  const last = Math.max(0, end - n);
  const margin = Math.min(4, Math.floor(n / 8));
  const isSeen = cursor >= was + (was > 0 ? margin : 0) && cursor < was + n - margin;
  return Math.max(0, Math.min(last, isSeen ? was : cursor - Math.floor(n / 3)));
}
