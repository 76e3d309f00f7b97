// Heat of the source: mask time, misses and coverage by rule. Pure.
//
// A step's mask belongs to the rule in which its innermost parse waits. After inlining the engine's rules are fewer than the author's; a
// state keeps the place it was written at, and that place is in one of the author's rules. A state is reached if some item of the chart,
// or of a step, was in it. Only a session that runs under the text as it is has heat.

import { innermost, int, micros, plural, ruleOf } from "../kit";
import type { Program, Trace } from "../wire";

export interface Region {
  name: string;
  begin: number; // bytes of the text
  end: number;
}
export const MEASURES = ["time", "misses", "coverage"] as const;
export type Measure = (typeof MEASURES)[number];
export interface Heat {
  name: string;
  /** microseconds; masks that were misses; the reached part of its states, 0 to 1 */
  value: number;
  /** 0 to 5, on a scale that is the same in every session */
  level: number;
  short: string;
  said: string;
}
const MOST_US = 20_000;

/** Five steps of a logarithmic scale from 1 µs to 20 ms; 0: no mask was made. */
export const heatLevel = (us: number): number =>
  us <= 0 ? 0 : Math.max(1, Math.min(5, Math.ceil((Math.log10(Math.max(us, 1)) / Math.log10(MOST_US)) * 5)));
/** 1, 2 to 3, 4 to 7, 8 to 15, more. */
const missLevel = (n: number): number => Math.min(5, Math.floor(Math.log2(n)) + 1);

const written = new WeakMap<readonly Region[], { program: Program; own: Int32Array }>();
/** The region that each state was written in; -1 for none. A run asks at each step, and the text stays: it is found out once. */
function regionsOfStates(program: Program, regions: readonly Region[]): Int32Array {
  const known = written.get(regions);
  if (known?.program === program) return known.own;
  const own = placed(program, regions);
  written.set(regions, { program, own });
  return own;
}
function placed(program: Program, regions: readonly Region[]): Int32Array {
  const starts = regions.map((region, k) => [region.begin, k] as const).sort(([a], [b]) => a - b);
  return Int32Array.from(program.states, (state) => {
    const at = state.spans[0]?.[0] ?? ruleOf(program, state.rule)?.span[0] ?? -1;
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as readonly [number, number])[0] <= at) low = middle + 1;
      else high = middle;
    }
    const k = starts[low - 1]?.[1] ?? -1;
    return k >= 0 && at < (regions[k] as Region).end ? k : -1;
  });
}

/** What is measured, by region: the most first, and of coverage the least; regions that it says nothing of are left out. */
export function heatOf(trace: Trace, regions: readonly Region[], measure: Measure): Heat[] {
  const { program } = trace;
  const own = regionsOfStates(program, regions);
  return measure === "coverage" ? coverage(trace, regions, own) : ofMasks(trace, regions, own, measure);
}

function ofMasks(trace: Trace, regions: readonly Region[], own: Int32Array, measure: "time" | "misses"): Heat[] {
  const sums = regions.map(() => ({ us: 0, masks: 0, misses: 0 }));
  for (const step of trace.steps) {
    const item = step.mask_us === null ? null : innermost(step);
    const sum = item && sums[own[item.state] ?? -1];
    if (!sum) continue;
    sum.us += step.mask_us ?? 0;
    sum.masks++;
    if (step.cache === "miss") sum.misses++;
  }
  const told = sums.map(({ us, masks, misses }, k): Heat => {
    const name = (regions[k] as Region).name;
    if (measure === "time")
      return {
        name,
        value: us,
        level: heatLevel(us),
        short: micros(us),
        said: `${plural(masks, "mask")}, ${micros(us)} in all`,
      };
    return {
      name,
      value: misses,
      level: missLevel(misses),
      short: `${misses} of ${masks}`,
      said: `${misses} of ${plural(masks, "mask")} had no entry ready`,
    };
  });
  return told.filter((heat) => heat.value > 0).sort((a, b) => b.value - a.value);
}

function coverage(trace: Trace, regions: readonly Region[], own: Int32Array): Heat[] {
  const reached = new Set<number>();
  for (const column of trace.chart.columns) for (const [state] of column) reached.add(state);
  for (const step of trace.steps) for (const item of step.live) reached.add(item.state);
  const counts = regions.map(() => [0, 0] as [reached: number, all: number]);
  own.forEach((region, state) => {
    const count = counts[region];
    if (!count) return;
    count[1]++;
    if (reached.has(state)) count[0]++;
  });
  const told = counts.map(([n, all], k): Heat => {
    const part = all ? n / all : 0;
    const said = `${int(n)} of ${plural(all, "state")} reached by this run`;
    return {
      name: (regions[k] as Region).name,
      value: part,
      level: Math.ceil(5 * part),
      short: `${int(n)} of ${int(all)}`,
      said,
    };
  });
  return told.filter((_, k) => (counts[k]?.[1] ?? 0) > 0).sort((a, b) => a.value - b.value);
}
