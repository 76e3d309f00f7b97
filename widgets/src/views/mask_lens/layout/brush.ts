// A rectangle of the mask's cells, and the tokens in it. Pure.
import type { Bulk } from "../../../bulk";
import { N_CODES } from "../../../bulk";
import { type Grid, tokensOf } from "./mask";

/** Two corners, in cells, either way round. */
export interface Brush {
  from: number;
  to: number;
}
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The cell of a place in trie order. */
export const cellAt = (grid: Grid, rank: number): number => Math.floor(rank / grid.pooled);

/** The cells a brush covers, both ends included. */
export function boxOf(grid: Grid, { from, to }: Brush): Box {
  const [a, b] = [from % grid.columns, to % grid.columns];
  const [c, d] = [Math.floor(from / grid.columns), Math.floor(to / grid.columns)];
  return { left: Math.min(a, b), right: Math.max(a, b), top: Math.min(c, d), bottom: Math.max(c, d) };
}

/** Token ids in a brush, in trie order. */
export function brushed(grid: Grid, order: Uint32Array, brush: Brush): Uint32Array {
  const { left, top, right, bottom } = boxOf(grid, brush);
  const out = new Uint32Array((right - left + 1) * (bottom - top + 1) * grid.pooled);
  let n = 0;
  for (let row = top; row <= bottom; row++) {
    const first = (row * grid.columns + left) * grid.pooled;
    const end = Math.min(grid.n, (row * grid.columns + right + 1) * grid.pooled);
    for (let rank = first; rank < end; rank++) out[n++] = order[rank] as number;
  }
  return out.subarray(0, n);
}

/** How many of these tokens each class has. */
export function countsOf(bulk: Bulk, ids: Uint32Array): number[] {
  const counts = new Array<number>(N_CODES).fill(0);
  for (const id of ids) (counts[bulk.provenance[id] as number] as number)++;
  return counts;
}

/** The most probable of them. */
export const mostProbable = (bulk: Bulk, ids: Uint32Array, limit: number): number[] =>
  tokensOf(bulk, ids, () => true, limit);
