// The whole vocabulary by rank: p and q of every token on two log axes, and which ranks are blocked. Pure.
//
// IDEA  Tokens come in groups of one probability (dist.ts), so a curve over 262,144 ranks has as many corners as there are groups.
//       Ranks are those of p, the mask unasked: where q has no point, the mask or the sampler took a token out.
import { isAllowed } from "../../../bulk";
import { drawn, type Sampler, type Weights, weighted } from "./dist";

/** Tokens of one probability: their first and last rank, from 1. */
export interface Run {
  first: number;
  last: number;
  p: number;
  q: number | null;
  blocked: boolean;
}
export interface Ranks {
  runs: Run[];
  /** tokens whose p was recorded, and all */
  n: number;
  size: number;
  /** how many of the most probable tokens hold that share of p */
  holds: [share: number, n: number][];
}

const SHARES = [0.95, 0.99, 0.999];

export function ranksOf(weights: Weights, sampler: Sampler): Ranks {
  const q = drawn(weights, sampler);
  const runs: Run[] = [];
  const holds: [number, number][] = [];
  let [n, sum] = [0, 0];
  for (const { group, p } of weighted(weights, sampler)) {
    const first = n + 1;
    n += group.n;
    // of a group that top-k or top-p cuts through, some stay: the first, since all are alike
    const of = q.get(group);
    const kept = of ? of.n : 0;
    const blocked = !isAllowed(group.code);
    if (of && kept > 0) runs.push({ first, last: first + kept - 1, p, q: of.q, blocked });
    if (kept < group.n) runs.push({ first: first + kept, last: n, p, q: null, blocked });
    const before = sum;
    sum += group.n * p;
    for (const share of SHARES)
      if (before < share && sum >= share) holds.push([share, first - 1 + Math.ceil((share - before) / p - 1e-9)]);
  }
  // of those below what is recorded the order is not known
  const [size, mixed] = [n + weights.unseen, n + weights.unseen_blocked];
  if (mixed > n) runs.push({ first: n + 1, last: mixed, p: 0, q: null, blocked: true });
  if (size > mixed) runs.push({ first: mixed + 1, last: size, p: 0, q: null, blocked: false });
  return { runs, n, size, holds };
}

/** The place of a rank on an axis of `width` pixels: log, from 1 to `size`. */
export const rankX = (rank: number, size: number, width: number): number =>
  size > 1 ? (Math.log(rank) / Math.log(size)) * width : 0;

/** For each pixel of the axis, the share of its ranks that is blocked: null where no rank falls. */
export function blockedShares({ runs, size }: Ranks, width: number): (number | null)[] {
  const all = new Float64Array(width);
  const blocked = new Float64Array(width);
  const at = (rank: number) => Math.min(width - 1, Math.floor(rankX(rank, size, width)));
  for (const run of runs) {
    const [from, to] = [at(run.first), at(run.last)];
    for (let k = from; k <= to; k++) {
      // ranks of this run that fall into pixel k
      const low = k === from ? run.first : Math.max(run.first, Math.ceil(size ** (k / width)));
      const high = k === to ? run.last : Math.min(run.last, Math.ceil(size ** ((k + 1) / width)) - 1);
      const n = Math.max(0, high - low + 1);
      all[k] = (all[k] as number) + n;
      if (run.blocked) blocked[k] = (blocked[k] as number) + n;
    }
  }
  return Array.from(all, (n, k) => (n > 0 ? (blocked[k] as number) / n : null));
}
