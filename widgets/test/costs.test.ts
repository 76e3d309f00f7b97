// Rows of the cost table, and the places of its axes.
import { describe, expect, it } from "vitest";
import { axis, nineTenths, sorted, stepCosts } from "../src/views/cost_table/layout";
import type { Costs, RuleCost } from "../src/wire";
import { step } from "./sample";

describe("the rows of steps", () => {
  it("are those with a mask, each of its innermost rule", () => {
    const lanes = { model: null, mask: null, apply: null, sample: null, wait_ns: 2500 };
    const live = [
      { state: 0, rule: 3, origin: 0 },
      { state: 6, rule: 1, origin: 3 },
    ];
    const rows = stepCosts([
      step(0, "a", 0, { live, inner: 1, lanes }),
      step(1, "b", 1, { mask_us: null }),
      step(2, "c", 2, { live, inner: null }),
    ]);
    expect(rows.map(({ step, rule, wait_us }) => [step, rule, wait_us])).toEqual([
      [0, 1, 2.5],
      [2, null, null],
    ]);
  });
  it("are sorted by numbers from the greatest and by words from the first", () => {
    const rows = [
      { name: "b", n: 1 },
      { name: "a", n: 3 },
      { name: "c", n: null },
    ];
    expect(sorted(rows, "n", false).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(sorted(rows, "name", true).map(({ name }) => name)).toEqual(["c", "b", "a"]);
  });
});

it("counts the rules that take nine tenths of the time", () => {
  const rules = [60, 31, 9].map((us) => ({ us }) as RuleCost);
  expect(nineTenths({ rules, mask_us: 100 } as Costs)).toBe(2);
});

it("has round places for an axis", () => {
  expect(axis(0)).toEqual([0]);
  expect(axis(369)).toEqual([0, 100, 200, 300]);
  expect(axis(369, 2)).toEqual([0, 200]);
});
