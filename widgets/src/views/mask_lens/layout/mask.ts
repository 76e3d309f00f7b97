// Which cell of the mask's grid a token has. Pure.
//
// Cells stand in trie order, row by row, as large as they can be in a box; a vocabulary larger than the box is pooled: neighbours in trie
// order share a pixel, and the rarest class wins it.
import type { Bulk } from "../../../bulk";
import { hex } from "../../../text";
import type { Vocabulary } from "../../../vocabulary";

export interface Grid {
  cell: number;
  columns: number;
  rows: number;
  /** tokens a cell stands for: 1 unless pooled */
  pooled: number;
  n: number;
}
const LARGEST_CELL = 16;

/** The grid of `n` tokens in a box of that width and height, a square if only one is given. */
export function gridFor(n: number, width: number, height = width): Grid {
  let cell = LARGEST_CELL;
  while (cell > 1 && Math.floor(width / cell) * Math.floor(height / cell) < n) cell--;
  const columns = Math.max(1, Math.floor(width / cell));
  const pooled = Math.max(1, Math.ceil(n / (columns * Math.max(1, Math.floor(height / cell)))));
  return { cell, columns, rows: Math.ceil(n / pooled / columns), pooled, n };
}

export const cellOf = (grid: Grid, rank: number): { x: number; y: number } => {
  const at = Math.floor(rank / grid.pooled);
  return { x: (at % grid.columns) * grid.cell, y: Math.floor(at / grid.columns) * grid.cell };
};
/** Place in trie order under a point, or null outside the tokens. */
export function rankAt(grid: Grid, x: number, y: number): number | null {
  const column = Math.floor(x / grid.cell);
  const row = Math.floor(y / grid.cell);
  if (column < 0 || column >= grid.columns || row < 0 || row >= grid.rows) return null;
  const rank = (row * grid.columns + column) * grid.pooled;
  return rank < grid.n ? rank : null;
}

/** Where a key takes the roving cell: arrows by one cell, page keys by an eighth of the grid, home and end. */
export function rove(grid: Grid, rank: number, key: string): number | null {
  const row = grid.columns * grid.pooled;
  const moves: Record<string, number> = {
    ArrowLeft: -grid.pooled,
    ArrowRight: grid.pooled,
    ArrowUp: -row,
    ArrowDown: row,
    PageUp: -row * Math.ceil(grid.rows / 8),
    PageDown: row * Math.ceil(grid.rows / 8),
    Home: -Infinity,
    End: Infinity,
  };
  const move = moves[key];
  return move === undefined ? null : Math.max(0, Math.min(grid.n - 1, rank + move));
}

export interface Band {
  label: string;
  y: number;
}
/** Left margin: where each first byte begins, as far as labels have room. */
export function bands(vocabulary: Vocabulary, grid: Grid): Band[] {
  const out: Band[] = [];
  let last = -1;
  let free = -1;
  for (let rank = 0; rank < vocabulary.size; rank += grid.pooled * grid.columns) {
    const first = vocabulary.bytes(vocabulary.order[rank] as number)[0];
    if (first === undefined || first === last) continue;
    last = first;
    const { y } = cellOf(grid, rank);
    if (y < free) continue;
    out.push({
      label: first > 0x20 && first < 0x7f ? String.fromCharCode(first) : first === 0x20 ? "·" : hex(first),
      y,
    });
    free = y + 13;
  }
  return out;
}

/** Tokens of some classes, most probable first. */
export function tokensOfClass(bulk: Bulk, classes: readonly number[], limit: number): number[] {
  const { provenance } = bulk;
  const wanted = Uint8Array.from({ length: 12 }, (_, code) => Number(classes.includes(code)));
  return tokensOf(bulk, provenance.length, (id) => wanted[provenance[id] as number] === 1, limit);
}

/** Of some ids, or all below a number, those wanted, most probable first: one pass for the code that still gets in, one to collect. */
export function tokensOf(
  { probability }: Bulk,
  ids: Uint32Array | number,
  wanted: (id: number) => boolean,
  limit: number,
): number[] {
  const n = typeof ids === "number" ? ids : ids.length;
  const idAt = (k: number) => (typeof ids === "number" ? k : (ids[k] as number));
  const byCode = new Uint32Array(256);
  for (let k = 0; k < n; k++) {
    const id = idAt(k);
    if (wanted(id)) (byCode[probability[id] as number] as number)++;
  }
  let least = 255;
  for (let held = byCode[255] as number; least > 0 && held < limit; held += byCode[least] as number) least--;
  const found: number[] = [];
  for (let k = 0, spare = limit; k < n; k++) {
    const id = idAt(k);
    const code = probability[id] as number;
    if (code < least || !wanted(id)) continue;
    if (code > least || spare-- > 0) found.push(id);
  }
  return found.sort((a, b) => (probability[b] as number) - (probability[a] as number) || a - b).slice(0, limit);
}
