import { describe, expect, it } from "vitest";
import { columns, decades, lean, place, ticks } from "../src/layout/compare";
import { axis, changed, compileUs, costsOf, nineTenths, sorted } from "../src/layout/costs";
import type { Trace } from "../src/wire";

describe("the steps of a comparison", () => {
  it("decades hold all times, two apart at least", () => {
    expect(decades([0.3, 47])).toEqual([0.1, 1, 10, 100]);
    expect(decades([2])).toEqual([1, 10, 100]);
    expect(decades([])).toEqual([0.1, 1, 10]);
  });
  it("a time stands between its decades", () => {
    expect(place(10, [1, 10, 100])).toBe(0.5);
    expect(place(0, [1, 10, 100])).toBe(0);
    expect(place(1e9, [1, 10, 100])).toBe(1);
  });
  it("a long run is pooled, and none of it falls off", () => {
    expect(columns(10, 900)).toEqual({ per: 1, step: 22, n: 10 });
    const long = columns(2000, 900);
    expect(long.per * long.n).toBeGreaterThanOrEqual(2000);
    expect(long.step * long.n).toBeLessThanOrEqual(900);
  });
  it("a ratio leans by its logarithm, eight times at most", () => {
    expect([lean(1), lean(8), lean(1 / 8), lean(64)]).toEqual([0, 1, -1, 1]);
  });
  it("ticks are round", () => {
    expect(ticks(31)).toEqual([0, 5, 10, 15, 20, 25, 30]);
    expect(ticks(8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

const rule = (id: number, name: string) => ({ id, name, line: id + 1, start: 2 * id, states: [2 * id, 2 * id + 2] });
const step = (index: number, us: number | null, live: object[], more: object = {}) => ({
  index,
  text: "a",
  mask_us: us,
  cache: "miss",
  entries: [{}],
  live,
  model_ms: null,
  lanes: null,
  ...more,
});
const item = (of: number, state: number, origin: number) => ({ rule: of, state, origin });
const trace = {
  header: {
    compile_passes: [
      ["parse", 3],
      ["lower", 5],
    ],
  },
  program: { rules: [rule(0, "root"), rule(1, "word")], states: [], edges: [] },
  steps: [
    step(0, 10, [item(0, 0, 0)]),
    step(1, 30, [item(0, 1, 0), item(1, 3, 1)], { cache: "context_hit", lanes: { wait_ns: 2000 } }),
    step(2, 20, [item(0, 1, 0), item(1, 2, 2)]),
    step(3, null, []),
  ],
} as unknown as Trace;

describe("costs", () => {
  const costs = costsOf(trace);
  it("a mask is the innermost rule's, and rules add up", () => {
    expect(costs.rules.map((r) => [r.name, r.us, r.n_fills, r.n_misses, r.median_us, r.costliest])).toEqual([
      ["root", 30, 2, 2, 15, 2],
      ["word", 30, 1, 0, 30, 1],
    ]);
    expect(costs.us).toBe(60);
    expect(costs.wait_us).toBe(2);
  });
  it("says how many rules take nine tenths", () => {
    expect(nineTenths(costs)).toBe(2);
    const many = [900, 50, 30, 20].map((us) => ({ ...costs.rules[0], us })) as typeof costs.rules;
    expect(nineTenths({ ...costs, rules: many, us: 1000 })).toBe(1);
  });
  it("passes follow each other", () => {
    expect(costs.passes).toEqual([
      { name: "parse", begin: 0, us: 3 },
      { name: "lower", begin: 3, us: 5 },
    ]);
    expect(costsOf({ ...trace, header: { ...trace.header, compile_passes: null } }).passes).toBeNull();
  });
  it("parts stand within their pass, and passes say what they changed", () => {
    const known = [
      ["inline_fragments", 3, { rules: [9, 8], exprs: [40, 40] }],
      ["lower", 5, { rules: [8, 9], states: [0, 142] }],
      ["determinize", 3, { inside: "lower", states: [1200, 104], machines: 9 }],
      ["minimize", 1, { inside: "lower", states: [104, 104], machines: 9 }],
    ] as const;
    const header = { ...trace.header, compile_passes: known } as unknown as Trace["header"];
    const passes = costsOf({ ...trace, header }).passes ?? [];
    expect(passes.map((pass) => [pass.begin, pass.inside ?? ""])).toEqual([
      [0, ""],
      [3, ""],
      [3, "lower"],
      [6, "lower"],
    ]);
    expect(compileUs(passes)).toBe(8);
    expect(passes.map((pass) => changed(pass))).toEqual([
      "9 → 8 rules",
      "8 → 9 rules, 142 states",
      "1,200 → 104 states",
      "",
    ]);
    expect(changed({ rules: [0, 1] })).toBe("1 rule");
    expect(changed({ rules: [5, 4], exprs: [20, 19] }, true)).toBe("5 → 4 rules");
    expect(changed({ rules: [4, 4], exprs: [20, 19] }, true)).toBe("20 → 19 expressions");
  });
  it("sorted by a column, and the other way round", () => {
    expect(sorted(costs.steps, "us", false).map((s) => s.step)).toEqual([1, 2, 0]);
    expect(sorted(costs.steps, "us", true).map((s) => s.step)).toEqual([0, 2, 1]);
    expect(sorted(costs.rules, "name", false).map((r) => r.name)).toEqual(["root", "word"]);
  });
  it("an axis has round places, as many as there is room for", () => {
    expect(axis(369)).toEqual([0, 100, 200, 300]);
    expect(axis(0)).toEqual([0]);
    expect(axis(369, 2)).toEqual([0, 200]);
  });
});
