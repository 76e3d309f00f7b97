// What is known of every token at one step: a provenance code and a probability code, one byte each, by token id.
//
// Probability code c means p = 10^(9 (c / 255 - 1)), and 0 means p < 1e-9 or no model. Exact mass by class comes beside it.

import { Vocabulary } from "./vocabulary";
import type { BulkHeader } from "./wire";

export const N_CLASSES = 8;
export const REJECTED = 0;
export const ACCEPTED = 1;
export const UNCERTAIN_ACCEPTED = 2;
export const UNCERTAIN_REJECTED = 3;
export const SPECIAL = 4;
export const STOP_LEGAL = 5;
export const STOP_NOT_LEGAL = 6;
export const PADDING = 7;
/** of a picture that holds two masks against each other, A and B */
export const NEITHER = 8;
export const BOTH = 9;
export const ONLY_A = 10;
export const ONLY_B = 11;
export const N_CODES = 12;

/** Whether a token of this class may come next. */
export const isAllowed = (code: number): boolean =>
  code === ACCEPTED || code === UNCERTAIN_ACCEPTED || code === STOP_LEGAL;

export interface Bulk {
  provenance: Uint8Array;
  probability: Uint8Array;
  counts: number[];
  mass: number[] | null;
}

/** Whether it holds two masks against each other. */
export const isXor = (bulk: Bulk): boolean => bulk.counts.length > N_CLASSES;

/** Each token by who allows it: A at this step, or B. `n` tokens, with A's probabilities where they are known. */
export function xorOf(
  n: number,
  a: (id: number) => boolean,
  b: (id: number) => boolean,
  probability?: Uint8Array,
): Bulk {
  const provenance = Uint8Array.from({ length: n }, (_, id) =>
    a(id) ? (b(id) ? BOTH : ONLY_A) : b(id) ? ONLY_B : NEITHER,
  );
  const bulk = bulkOf(provenance, probability ?? new Uint8Array(n), null);
  return { ...bulk, counts: Array.from({ length: N_CODES }, (_, code) => bulk.counts[code] ?? 0) };
}
/** The bit of a token in a row of a bitmask. */
export const bitOf =
  (row: Uint8Array) =>
  (id: number): boolean =>
    (((row[id >> 3] ?? 0) >> (id & 7)) & 1) === 1;

export function bulkOf(provenance: Uint8Array, probability: Uint8Array, mass: number[] | null): Bulk {
  const counts = new Array<number>(N_CLASSES).fill(0);
  for (const code of provenance) counts[code] = (counts[code] ?? 0) + 1;
  return { provenance, probability, counts, mass };
}

/** The probability a code stands for. */
export const decodeProb = (code: number): number => (code === 0 ? 0 : 10 ** (9 * (code / 255 - 1)));

/** What a saved notebook holds: `u32 n | n bytes of JSON | vocabulary | provenance, probability of each step in turn`. */
interface ReplayHeader {
  vocab_size: number;
  steps: BulkHeader[];
  vocabulary: { blob: number } | null;
}

export function readReplay(data: Uint8Array): { vocabulary: Vocabulary | null; bulk: Map<number, Bulk> } {
  const headerBytes = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + headerBytes))) as ReplayHeader;
  let at = 4 + headerBytes;
  const take = (n: number) => {
    at += n;
    return data.slice(at - n, at);
  };
  const n = header.vocab_size;
  let vocabulary: Vocabulary | null = null;
  if (header.vocabulary) {
    const blob = take(header.vocabulary.blob);
    vocabulary = new Vocabulary(blob, new Uint32Array(take(4 * (n + 1)).buffer), new Uint32Array(take(4 * n).buffer));
  }
  const bulk = new Map<number, Bulk>();
  for (const { step, mass } of header.steps) bulk.set(step, bulkOf(take(n), take(n), mass));
  return { vocabulary, bulk };
}
