// Both masks of the steps of a comparison, as xg2lab/lab/comparison/compared_masks.py packs them.
//
// Gzip of u32 n, little-endian | n bytes of JSON {"n_words", "steps": [[step, whether it differs], ...]} | for each A's row of the
// bitmask and, if the two differ, A xor B.
import { type Bulk, bitOf, xorOf } from "../../../bulk";
import { gunzip } from "../../../gzip";

export interface Rows {
  a: Uint8Array;
  /** null: B's row is A's */
  xor: Uint8Array | null;
}

export function readMasks(data: Uint8Array): Map<number, Rows> {
  const n = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const { n_words, steps } = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + n))) as {
    n_words: number;
    steps: [number, boolean][];
  };
  let at = 4 + n;
  const row = () => {
    at += 4 * n_words;
    return data.subarray(at - 4 * n_words, at);
  };
  return new Map(steps.map(([step, differs]) => [step, { a: row(), xor: differs ? row() : null }]));
}

/** The masks that a report carries. */
export async function masksOf(packed: string): Promise<Map<number, Rows>> {
  if (!packed) return new Map();
  return readMasks(await gunzip(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))));
}

/** The first n tokens of both rows, by who allows them. */
export function pictureOf({ a, xor }: Rows, n: number, probability?: Uint8Array): Bulk {
  const inA = bitOf(a);
  const differs = xor ? bitOf(xor) : () => false;
  return xorOf(n, inA, (id) => inA(id) !== differs(id), probability);
}
