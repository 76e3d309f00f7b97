// Rows of the cost table, and places on its axes. What rules, passes and the request cost is in the trace's figures.
import { innermost } from "../../trace";
import type { CacheClass, Costs, Step } from "../../wire";

export interface StepCost {
  step: number;
  text: string;
  rule: number | null;
  us: number;
  cache: CacheClass | null;
  n_states: number;
  n_built: number;
  n_adapted: number;
  n_checked: number;
  model_ms: number | null;
  wait_us: number | null;
}

/** A row for each mask. */
export const stepCosts = (steps: readonly Step[]): StepCost[] =>
  steps.flatMap((step) => {
    if (step.mask_us === null) return [];
    const wait = step.lanes?.wait_ns ?? null;
    return {
      step: step.index,
      text: step.text ?? "",
      rule: innermost(step)?.rule ?? null,
      us: step.mask_us,
      cache: step.cache,
      n_states: step.entries.length,
      n_built: step.n_built ?? 0,
      n_adapted: step.n_adapted ?? 0,
      n_checked: step.n_checked ?? 0,
      model_ms: step.model_ms,
      wait_us: wait === null ? null : wait / 1000,
    };
  });

/** How many rules, the dearest first, take nine tenths of the time: the tail can be left alone. */
export function nineTenths({ rules, mask_us }: Costs): number {
  let left = 0.9 * mask_us;
  return (
    rules.findIndex((rule) => {
      left -= rule.us;
      return left <= 0;
    }) + 1
  );
}

/** Rows by a column, numbers from the greatest, words from the first; the other way round on request. */
export function sorted<T>(rows: readonly T[], by: keyof T, isReversed: boolean): T[] {
  const sign = isReversed ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[by], b[by]];
    if (typeof x === "string" || typeof y === "string") return sign * (String(x) < String(y) ? -1 : 1);
    return sign * (Number(y ?? -1) - Number(x ?? -1));
  });
}

/** Round places for an axis from 0, at most `most` and the zero. */
export function axis(total: number, most = 6): number[] {
  if (total <= 0) return [0];
  const power = 10 ** Math.floor(Math.log10(total));
  const by = [0.1, 0.2, 0.5, 1, 2].map((k) => k * power).find((k) => total / k <= most) ?? power * 5;
  return Array.from({ length: Math.floor(total / by) + 1 }, (_, k) => k * by);
}
