import { describe, expect, it } from "vitest";
import type { Weights } from "../src/views/dist_view/layout/dist";
import { blockedShares, ranksOf, rankX } from "../src/views/dist_view/layout/ranks";

const OFF = { temperature: 1, top_k: 0, top_p: 1 };
/** 0.5 blocked, 0.3 allowed, ten of 0.015 allowed, ten of 0.005 blocked; 5 more below what is recorded. */
const weights: Weights = {
  temperature: 1,
  unseen: 5,
  unseen_blocked: 3,
  groups: [
    { p: 0.5, n: 1, code: 0, id: 3 },
    { p: 0.3, n: 1, code: 1, id: 4 },
    { p: 0.015, n: 10, code: 2, id: null },
    { p: 0.005, n: 10, code: 3, id: null },
  ],
};

describe("the vocabulary by rank", () => {
  it("has each token once, q where it may be drawn", () => {
    const { runs, n, size } = ranksOf(weights, OFF);
    expect([n, size]).toEqual([22, 27]);
    expect(runs.map(({ first, last, blocked }) => [first, last, blocked])).toEqual([
      [1, 1, true],
      [2, 2, false],
      [3, 12, false],
      [13, 22, true],
      [23, 25, true],
      [26, 27, false],
    ]);
    expect(runs.slice(0, 4).map(({ p }) => p)).toEqual(weights.groups.map((g) => expect.closeTo(g.p, 12)));
    expect(runs.slice(0, 4).map(({ q }) => q)).toEqual([
      null,
      expect.closeTo(0.3 / 0.45, 12),
      expect.closeTo(0.015 / 0.45, 12),
      null,
    ]);
    const drawn = runs.reduce((sum, { first, last, q }) => sum + (last - first + 1) * (q ?? 0), 0);
    expect(drawn).toBeCloseTo(1, 12);
  });

  it("counts how many tokens hold a share of p", () => {
    expect(ranksOf(weights, OFF).holds).toEqual([
      [0.95, 12],
      [0.99, 20],
      [0.999, 22],
    ]);
  });

  it("is cut where a sampler cuts through tokens of one probability", () => {
    const { runs, n } = ranksOf(weights, { ...OFF, top_k: 4 });
    expect(runs.slice(0, 5).map(({ first, last, q }) => [first, last, q !== null])).toEqual([
      [1, 1, false],
      [2, 2, true],
      [3, 5, true],
      [6, 12, false],
      [13, 22, false],
    ]);
    expect(n).toBe(22);
    const cold = ranksOf(weights, { ...OFF, temperature: 0.5 });
    expect(cold.runs[0]?.p).toBeCloseTo(0.25 / (0.25 + 0.09 + 10 * 0.015 ** 2 + 10 * 0.005 ** 2), 12);
  });
});

describe("the axis of ranks", () => {
  it("is log, from the first to the last", () => {
    expect([1, 10, 100].map((rank) => rankX(rank, 100, 200))).toEqual([0, 100, 200]);
    expect(rankX(1, 1, 200)).toBe(0);
  });

  it("knows for each pixel which of its ranks are blocked", () => {
    const ranks = ranksOf(weights, OFF);
    const shares = blockedShares(ranks, 40);
    expect(shares[0]).toBe(1); // rank 1
    expect(shares[Math.floor(rankX(2, 27, 40))]).toBe(0);
    expect(shares[1]).toBeNull(); // no rank falls there
    expect(shares.filter((share) => share === 1).length).toBeGreaterThan(1);
    const one = blockedShares(ranks, 1);
    expect(one).toEqual([14 / 27]);
  });
});
