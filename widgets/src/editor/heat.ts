// Mask time by place of the source: each step's time belongs to the rule in which its innermost parse waits. Pure.
//
// After inlining the engine's rules are fewer than the author's; a state keeps the place it was written at, and that place is in
// one of the author's rules. Only a session that runs under the text as it is has heat.
import { innermost, ruleOf } from "../trace";
import type { Trace } from "../wire";

export interface Region {
  name: string;
  begin: number; // bytes of the text
  end: number;
}
export interface Heat {
  name: string;
  us: number;
  n_fills: number;
}
const MOST_US = 20_000;

/** Five steps of a logarithmic scale from 1 µs to 20 ms; 0: no mask was made. The scale is the same in every session. */
export const heatLevel = (us: number): number =>
  us <= 0 ? 0 : Math.max(1, Math.min(5, Math.ceil((Math.log10(Math.max(us, 1)) / Math.log10(MOST_US)) * 5)));

/** Mask time by region, most first; steps outside all regions are left out. */
export function heatOf(trace: Trace, regions: readonly Region[]): Heat[] {
  const sums = new Map<string, Heat>();
  for (const step of trace.steps) {
    if (step.mask_us === null) continue;
    const item = innermost(trace.program, step.live);
    const state = item && trace.program.states[item.state];
    const at = state?.spans[0]?.[0] ?? ruleOf(trace.program, item?.rule ?? null)?.span[0];
    const region = at === undefined ? undefined : regions.find(({ begin, end }) => begin <= at && at < end);
    if (!region) continue;
    const sum = sums.get(region.name) ?? { name: region.name, us: 0, n_fills: 0 };
    sums.set(region.name, { ...sum, us: sum.us + step.mask_us, n_fills: sum.n_fills + 1 });
  }
  return [...sums.values()].sort((a, b) => b.us - a.us);
}
