// Where the time went: mirror of xg2lab/lab/trace/costs.py, from the trace alone. A mask's time is that of the innermost item's rule.
import { int, plural } from "../../text";
import { groupBy, innermost, ruleOf } from "../../trace";
import type { CacheClass, Step, Trace } from "../../wire";
import type { PassFacts } from "../../wire/lanes";

export interface RuleCost {
  rule: number | null;
  name: string;
  line: number | null;
  us: number;
  n_fills: number;
  n_misses: number;
  median_us: number;
  costliest: number;
}
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
export interface PassCost extends PassFacts {
  name: string;
  /** a part begins where the one before it ends, within its pass */
  begin: number;
  us: number;
}
/** What an instance of a template cost: rows in the order of time, apart by who paid. */
export interface TemplateCosts {
  /** once, for all requests */
  offline: [what: string, us: number][];
  /** for this request, before its first token can be chosen */
  request: [what: string, us: number][];
  /** what making the instance did; null: it came made */
  passes: PassCost[] | null;
}
export interface Costs {
  /** of an instance those of its template */
  passes: PassCost[] | null;
  rules: RuleCost[];
  steps: StepCost[];
  us: number;
  wait_us: number | null;
}

/** Null for a grammar that is no instance. */
export function templateCosts({ header, steps }: Trace): TemplateCosts | null {
  const facts = header.template;
  if (!facts) return null;
  const first = steps[0]?.mask_us ?? null;
  const masks: [string, number][] =
    facts.masks_us === null ? [] : [["make the masks that instances share", facts.masks_us]];
  const made = facts.obstacles.length > 0 ? "compile the instance" : "link the instance";
  return {
    offline: [["compile the template", facts.compile_us], ...masks],
    request: [[made, facts.instantiate_us], ...(first === null ? [] : ([["first mask", first]] as [string, number][]))],
    passes: facts.request_passes ? passesOf(facts.request_passes) : null,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? (sorted[half] as number) : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

function stepCost(trace: Trace, step: Step): StepCost {
  const wait = step.lanes?.wait_ns;
  return {
    step: step.index,
    text: step.text ?? "",
    rule: innermost(trace.program, step.live)?.rule ?? null,
    us: step.mask_us ?? 0,
    cache: step.cache,
    n_states: step.entries.length,
    n_built: step.n_built ?? 0,
    n_adapted: step.n_adapted ?? 0,
    n_checked: step.n_checked ?? 0,
    model_ms: step.model_ms,
    wait_us: wait === null || wait === undefined ? null : wait / 1000,
  };
}

function passesOf(known: readonly (readonly [string, number, PassFacts?])[]): PassCost[] {
  let [begin, inner] = [0, 0];
  return known.map(([name, us, facts]) => {
    const pass = { ...facts, name, us, begin: facts?.inside ? inner : begin };
    inner = pass.begin + (facts?.inside ? us : 0);
    if (!facts?.inside) begin += us;
    return pass;
  });
}

/** All passes together: the parts are in them. */
export const compileUs = (passes: readonly PassCost[]): number =>
  sum(passes.filter((pass) => !pass.inside).map((pass) => pass.us));

/** What a pass changed, in a few words: "9 → 8 rules". Nothing where it left all as it was. In short: of what changed together the first. */
export function changed(pass: PassFacts, isShort = false): string {
  const [before, after] = pass.states ?? [0, 0];
  const counts = [
    ["rules", isShort && before > 0 && before !== after ? undefined : pass.rules],
    ["expressions", isShort && pass.rules && pass.rules[0] !== pass.rules[1] ? undefined : pass.exprs],
    ["states", pass.states],
  ] as const;
  return counts
    .flatMap(([what, now]) => {
      if (!now || now[0] === now[1]) return [];
      return now[0] ? `${int(now[0])} → ${int(now[1])} ${what}` : plural(now[1], what.slice(0, -1));
    })
    .join(", ");
}

export function costsOf(trace: Trace): Costs {
  const steps = trace.steps.filter((step) => step.mask_us !== null).map((step) => stepCost(trace, step));
  const rules: RuleCost[] = [];
  for (const [rule, found] of groupBy(steps, (step) => step.rule)) {
    const known = ruleOf(trace.program, rule);
    const us = found.map((step) => step.us);
    rules.push({
      rule,
      name: known?.name ?? "no live item",
      line: known?.line ?? null,
      us: sum(us),
      n_fills: found.length,
      n_misses: found.filter((step) => step.cache === "miss").length,
      median_us: median(us),
      costliest: found.reduce((best, step) => (step.us > best.us ? step : best)).step,
    });
  }
  rules.sort((a, b) => b.us - a.us || (a.name < b.name ? -1 : 1));
  const passes = trace.header.compile_passes ? passesOf(trace.header.compile_passes) : null;
  const waits = steps.map((step) => step.wait_us).filter((us) => us !== null);
  return { passes, rules, steps, us: sum(steps.map((s) => s.us)), wait_us: waits.length ? sum(waits) : null };
}

/** How many rules, the dearest first, take nine tenths of the time: the tail can be left alone. */
export function nineTenths({ rules, us }: Costs): number {
  let left = 0.9 * us;
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
