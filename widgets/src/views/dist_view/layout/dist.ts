// What a sampler would do with a step's distribution: temperature, top-k and top-p from the recorded bytes alone. Pure.
//
// IDEA  The order of tokens by p is the same at every temperature. So tokens are counted once a step, in groups of one class and one
//       probability (eight classes, 256 codes, and the listed tokens, whose p is exact); a slider then walks some hundred groups
//       instead of the vocabulary. Codes are within 4 % of p: each side of the mask is scaled to its exact mass.
// COST  weigh: one pass over the vocabulary. whatIf: the groups.
import { type Bulk, decodeProb, isAllowed, N_CLASSES } from "../../../bulk";
import type { Step } from "../../../wire";

export interface Sampler {
  temperature: number;
  top_k: number; // 0: off
  top_p: number;
}
/** `n` tokens of one class with probability `p` each, at the recorded temperature; `id` where it is one that is listed. */
export interface Group {
  p: number;
  n: number;
  code: number;
  id: number | null;
}
export interface Weights {
  groups: Group[]; // the most probable first
  /** what p was recorded at */
  temperature: number;
  /** tokens below 1e-9: their mass is not known; and how many of them are blocked */
  unseen: number;
  unseen_blocked: number;
}
export interface WhatIf {
  z: number;
  /** mass before the mask, by provenance class */
  mass: number[];
  /** how many tokens would be drawn from */
  kept: number;
  /** the same two of one listed token; q is 0 where it is blocked or cut */
  p: Map<number, number>;
  q: Map<number, number>;
  entropy: { p: number; q: number };
  /** mass that the tokens below 1e-9 have at most, as a share of all */
  unseen: number;
}

const LOWEST = 1e-9;
const scaleOf = (want: number, have: number): number => (have > 0 ? Math.max(0, want) / have : 0);

const weighed = new WeakMap<Step, [bulk: Bulk, temperature: number, weights: Weights | null]>();
/** A step's tokens in groups, counted once; null where nothing was recorded of every token. */
export function weigh(step: Step, bulk: Bulk | undefined, temperature: number): Weights | null {
  if (!bulk) return null;
  const known = weighed.get(step);
  if (known && known[0] === bulk && known[1] === temperature) return known[2];
  const weights = count(step, bulk, temperature);
  weighed.set(step, [bulk, temperature, weights]);
  return weights;
}

function count(step: Step, bulk: Bulk, temperature: number): Weights | null {
  if (step.z === null || (step.top[0]?.[2] ?? null) === null) return null;
  const counts = new Uint32Array(N_CLASSES * 256);
  const { provenance, probability } = bulk;
  for (let id = 0; id < provenance.length; id++) {
    const at = ((provenance[id] as number) << 8) | (probability[id] as number);
    counts[at] = (counts[at] as number) + 1;
  }
  const groups: Group[] = [];
  const exact = [0, 0];
  for (const [id, , p] of step.top) {
    const code = provenance[id] as number;
    const at = (code << 8) | (probability[id] as number);
    counts[at] = Math.max(0, (counts[at] as number) - 1);
    groups.push({ p: p ?? 0, n: 1, code, id });
    exact[Number(isAllowed(code))] = (exact[Number(isAllowed(code))] as number) + (p ?? 0);
  }
  const coded = [0, 0];
  const rest: Group[] = [];
  const unseen = [0, 0];
  counts.forEach((n, at) => {
    if (n === 0) return;
    const [code, p] = [at >> 8, decodeProb(at & 255)];
    if (p === 0) unseen[Number(isAllowed(code))] = (unseen[Number(isAllowed(code))] as number) + n;
    else rest.push({ p, n, code, id: null });
    coded[Number(isAllowed(code))] = (coded[Number(isAllowed(code))] as number) + n * p;
  });
  const scales = [
    scaleOf(1 - step.z - (exact[0] as number), coded[0] as number),
    scaleOf(step.z - (exact[1] as number), coded[1] as number),
  ];
  for (const group of rest) group.p *= scales[Number(isAllowed(group.code))] as number;
  groups.push(...rest);
  groups.sort((a, b) => b.p - a.p);
  const [unseen_blocked, allowed] = unseen as [number, number];
  return { groups, temperature: temperature || 1, unseen: unseen_blocked + allowed, unseen_blocked };
}

const share = (weight: number, whole: number): number => (whole > 0 ? weight / whole : 0);
const surprise = (q: number): number => (q > 0 ? -q * Math.log(q) : 0);

/** What p, Z and q would be. A temperature of 0 is greedy: q is 1 at the best allowed token, and p is for temperature 1. */
export function whatIf(weights: Weights, sampler: Sampler): WhatIf {
  const weight = weightOf(weights, sampler);
  const mass = new Array<number>(N_CLASSES).fill(0);
  let whole = 0;
  let entropy = 0;
  for (const { p, n, code } of weights.groups) {
    const w = n * weight(p);
    mass[code] = (mass[code] as number) + w;
    whole += w;
  }
  const p = new Map<number, number>();
  for (const group of weights.groups) {
    const one = share(weight(group.p), whole);
    entropy += group.n * surprise(one);
    if (group.id !== null) p.set(group.id, one);
  }
  const cut = keep(weights.groups, weight, sampler);
  const bound = weights.unseen * weight(LOWEST);
  return {
    z: share(
      mass.reduce((sum, m, code) => sum + (isAllowed(code) ? m : 0), 0),
      whole,
    ),
    mass: mass.map((m) => share(m, whole)),
    p,
    ...cut.result,
    entropy: { p: entropy, q: cut.entropy },
    unseen: share(bound, whole + bound),
  };
}

/** The allowed tokens that stay after top-k and then top-p, and what each of those is drawn with. */
function keep(groups: readonly Group[], weight: (p: number) => number, { temperature, top_k, top_p }: Sampler) {
  const most = temperature === 0 ? 1 : top_k || Number.POSITIVE_INFINITY;
  const kept: [group: Group, n: number][] = [];
  let [n, sum] = [0, 0];
  for (const group of groups) {
    if (!isAllowed(group.code) || n >= most) continue;
    const take = Math.min(group.n, most - n);
    kept.push([group, take]);
    n += take;
    sum += take * weight(group.p);
  }
  if (temperature !== 0 && top_p < 1) {
    let [reached, at] = [0, 0];
    for (const entry of kept) {
      const w = weight(entry[0].p);
      const need = w > 0 ? Math.ceil((top_p * sum - reached) / w - 1e-9) : entry[1];
      entry[1] = Math.max(1, Math.min(entry[1], need));
      reached += entry[1] * w;
      at++;
      if (reached >= top_p * sum * (1 - 1e-12)) break;
    }
    kept.length = at;
    sum = reached;
    n = kept.reduce((all, [, take]) => all + take, 0);
  }
  const q = new Map<number, number>();
  let entropy = 0;
  for (const [group, take] of kept) {
    const one = share(weight(group.p), sum);
    entropy += take * surprise(one);
    if (group.id !== null) q.set(group.id, one);
  }
  return { result: { kept: n, q }, entropy, parts: kept, sum };
}

/** How weights become at a temperature: 1 at the top, so that nothing overflows, and what underflows has no mass. */
function weightOf(weights: Weights, { temperature }: Sampler): (p: number) => number {
  const power = weights.temperature / (temperature || 1);
  const most = weights.groups[0]?.p || 1;
  return (p) => (p / most) ** power;
}

/** Each group with the p of one of its tokens, the most probable first. */
export function weighted(weights: Weights, sampler: Sampler): { group: Group; p: number }[] {
  const weight = weightOf(weights, sampler);
  const whole = weights.groups.reduce((sum, { p, n }) => sum + n * weight(p), 0);
  return weights.groups.map((group) => ({ group, p: share(weight(group.p), whole) }));
}

/** The groups that are drawn from: how many tokens of each, and the q of one. */
export function drawn(weights: Weights, sampler: Sampler): Map<Group, { n: number; q: number }> {
  const weight = weightOf(weights, sampler);
  const { parts, sum } = keep(weights.groups, weight, sampler);
  return new Map(parts.map(([group, n]) => [group, { n, q: share(weight(group.p), sum) }]));
}

/** The step of the lowest Z, the first of equal ones; null where no Z is known. */
export function lowestZ(steps: readonly Step[]): number | null {
  let best: Step | null = null;
  for (const step of steps) if (step.z !== null && (best === null || step.z < (best.z as number))) best = step;
  return best?.index ?? null;
}

/** The decades that a run's Z needs on a log axis, two at least, so that the axis is one for the whole run. */
export function decadesOfZ(steps: readonly Step[]): number {
  const lowest = steps.reduce((low, { z }) => (z !== null && z > 0 ? Math.min(low, z) : low), 1);
  return Math.min(9, Math.max(2, Math.ceil(-Math.log10(lowest))));
}
