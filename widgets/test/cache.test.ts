import { describe, expect, it } from "vitest";
import {
  CACHE_CLASSES,
  cacheLanes,
  cellOfStep,
  countsByClass,
  donorOf,
  fromTemplate,
  GUTTER,
  sharingHint,
  stepAtX,
  stepTicks,
  templateHint,
  wasWalked,
} from "../src/views/cache_view/layout";
import type { CacheClass, MaskEntry } from "../src/wire";
import { trace as sample, step } from "./sample";

const steps = (n: number, of: (k: number) => CacheClass | null = () => "miss") =>
  Array.from({ length: n }, (_, k) => step(k, "x", k, { cache: of(k), mask_us: 1 + k }));

describe("the lanes of the cache", () => {
  it("give each step a cell in the lane of its class", () => {
    const lanes = cacheLanes(
      steps(8, (k) => CACHE_CLASSES[k % 4] ?? null),
      600,
    );
    expect(lanes.pooled).toBe(1);
    expect(lanes.cells.map((c) => c.lane)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    expect(lanes.cells.map((c) => c.step?.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(lanes.end).toBeLessThanOrEqual(600);
  });
  it("stay inside a narrow box however many steps there are", () => {
    for (const width of [400, 636, 1200])
      for (const n of [1, 50, 500, 5000]) {
        const lanes = cacheLanes(steps(n), width);
        expect(lanes.end).toBeLessThanOrEqual(width);
        expect(lanes.cells.at(-1)?.last).toBe(n);
        for (let k = 1; k < lanes.cells.length; k++)
          expect(lanes.cells[k]?.first).toBe(lanes.cells[k - 1]?.last as number);
      }
  });
  it("show of pooled steps the one that was paid for most", () => {
    const many = steps(1000, (k) => (k === 501 ? "miss" : k % 2 ? "perfect_hit" : "context_hit"));
    const lanes = cacheLanes(many, 400);
    expect(lanes.pooled).toBeGreaterThan(2);
    const cell = cellOfStep(lanes, 500);
    expect(cell?.step?.index).toBe(501);
    expect(lanes.cells.filter((c) => c.lane === 3)).toEqual([cell]);
    const other = cellOfStep(lanes, 40);
    expect(other?.lane).toBe(1);
    expect(other?.step?.index).toBe((other?.last ?? 0) - 1 - (((other?.last ?? 0) - 1) % 2 ? 0 : 1)); // the slowest perfect hit
  });
  it("leave a step without a mask blank", () => {
    const lanes = cacheLanes(
      steps(3, (k) => (k === 1 ? null : "miss")),
      400,
    );
    expect(lanes.cells[1]).toMatchObject({ step: null, lane: null });
    expect(stepAtX(lanes, (lanes.cells[1]?.x ?? 0) + 1)).toBe(1);
  });
  it("find the step under a point, and none in the gutter or past the end", () => {
    const lanes = cacheLanes(steps(5), 600);
    for (const cell of lanes.cells) expect(stepAtX(lanes, cell.x + lanes.cell / 2)).toBe(cell.first);
    expect(stepAtX(lanes, GUTTER - 1)).toBeNull();
    expect(stepAtX(lanes, lanes.end + 1)).toBeNull();
  });
  it("count classes and label round steps", () => {
    expect(countsByClass(steps(5, (k) => (k ? "context_hit" : null)))).toEqual({
      context_hit: 4,
      perfect_hit: 0,
      partial_hit: 0,
      miss: 0,
    });
    expect(stepTicks(12, 24)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(stepTicks(1000, 1)).toHaveLength(20);
    expect(stepTicks(0, 24)).toEqual([]);
  });
});

describe("donors", () => {
  const entry = (known: Partial<MaskEntry>): MaskEntry => ({
    state: 0,
    rule: 0,
    storage: "bitset",
    n_accepted: 1,
    n_rejected: 1,
    n_uncertain: 0,
    size_bytes: 8,
    build_us: 1,
    hits: 0,
    ...known,
  });
  it("are named with their id, the grammar itself in words", () => {
    expect(donorOf(entry({ cache: "perfect_hit", donor: 3, donor_name: "get_stock", maker: "pool" }))).toBe(
      "3: get_stock",
    );
    expect(donorOf(entry({ cache: "partial_hit", donor: 3, donor_name: "" }))).toBe("grammar 3");
    expect(donorOf(entry({ cache: "perfect_hit", donor: 4, donor_name: "{" }))).toBe("grammar 4");
    expect(donorOf(entry({ cache: "perfect_hit", donor: 5, donor_name: "mine", maker: "own" }))).toBe("this grammar");
    expect(donorOf(entry({ cache: "miss", donor: 5, maker: "own" }))).toBeNull();
    expect(donorOf(entry({}))).toBeNull();
  });
});

describe("why nothing is shared", () => {
  const of = (unshared: (string | null)[], options = {}) => ({
    ...sample,
    header: { ...sample.header, options },
    steps: unshared.map((why, k) => step(k, "x", k, { entries: [{ unshared: why } as MaskEntry] })),
  });
  it("is said where long names are why, and an option would help", () => {
    expect(sharingHint(of(["long_name", "short_walk"]))).toContain("rule_inlining=False");
    expect(sharingHint(of(["long_name", null]))).toBeNull();
    expect(sharingHint(of(["short_walk"]))).toBeNull();
    expect(sharingHint(of(["long_name"], { rule_inlining: false }))).toBeNull();
  });
  it("is said of an instance of a template, whose hits the pool doesn't count", () => {
    expect(templateHint({ ...sample, linked: true })).toContain("template");
    expect(templateHint(sample)).toBeNull();
  });
});

it("entries beside a mask that was walked were not used for it", () => {
  expect(
    ["entries", "entries_and_run", "known", "walk", "shared_walks"].map((way) => wasWalked(step(0, "a", 0, { way }))),
  ).toEqual([false, false, false, true, true]);
});

describe("an instance of a template", () => {
  const entry = (cache: CacheClass | undefined): MaskEntry => ({ cache }) as unknown as MaskEntry;
  const one = step(0, "a", 0, {
    entries: [entry("perfect_hit"), entry("partial_hit"), entry("miss"), entry(undefined)],
  });
  it("counts the entries that it found ready", () => expect(fromTemplate(one)).toBe(2));
});
