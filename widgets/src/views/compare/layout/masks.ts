// The masks of the steps of a comparison, as xg2lab/lab/trace/compared_masks.py packs them.
//
// Gzip of u32 n, little-endian | n bytes of JSON {"n_words", "steps": [[step, whether B differs from A, whether C does, ...], ...]} | for
// each A's row of the bitmask and, of each side that differs, A xor its row.
import { type Bulk, bitOf, xorOf } from "../../../bulk";
import { gunzip } from "../../../gzip";

/** The rows of two sides. */
export interface Rows {
  a: Uint8Array;
  /** null: B's row is A's */
  xor: Uint8Array | null;
}
/** The rows of all sides of a step: A's, and each other one xor A's; null: it is A's. */
export interface Kept {
  a: Uint8Array;
  xors: (Uint8Array | null)[];
}

export function readMasks(data: Uint8Array): Map<number, Kept> {
  const n = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const { n_words, steps } = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + n))) as {
    n_words: number;
    steps: [number, ...boolean[]][];
  };
  let at = 4 + n;
  const row = () => {
    at += 4 * n_words;
    return data.subarray(at - 4 * n_words, at);
  };
  return new Map(
    steps.map(([step, ...differ]) => [step, { a: row(), xors: differ.map((differs) => (differs ? row() : null)) }]),
  );
}

const xored = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, k) => byte ^ (b[k] as number));

/** The rows of two of the sides, by their places. */
export function pairOf({ a, xors }: Kept, first: number, second: number): Rows {
  const [x, y] = [first, second].map((side) => (side === 0 ? null : (xors[side - 1] ?? null)));
  const xor = x && y ? xored(x, y) : (x ?? y ?? null);
  return { a: x ? xored(a, x) : a, xor: xor?.some((byte) => byte !== 0) ? xor : null };
}

/** The masks that a report carries. */
export async function masksOf(packed: string): Promise<Map<number, Kept>> {
  if (!packed) return new Map();
  return readMasks(await gunzip(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))));
}

/** The first n tokens of both rows, by who allows them. */
export function pictureOf({ a, xor }: Rows, n: number, probability?: Uint8Array): Bulk {
  const inA = bitOf(a);
  const differs = xor ? bitOf(xor) : () => false;
  return xorOf(n, inA, (id) => inA(id) !== differs(id), probability);
}

/** Tokens that one row alone allows: how many each, and the first ids with whether it is A that allows them. */
export function differing({ a, xor }: Rows, n: number, most: number) {
  const [inA, differs] = [bitOf(a), bitOf(xor ?? new Uint8Array(a.length))];
  const ids: [id: number, isOfA: boolean][] = [];
  const counts: [onlyA: number, onlyB: number] = [0, 0];
  for (let id = 0; id < n; id++) {
    if (!differs(id)) continue;
    counts[inA(id) ? 0 : 1] += 1;
    if (ids.length < most) ids.push([id, inA(id)]);
  }
  return { ids, counts };
}
