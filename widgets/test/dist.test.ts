import { describe, expect, it } from "vitest";
import { bulkOf } from "../src/bulk";
import { decadesOfZ, lowestZ, type Weights, weigh, whatIf } from "../src/views/dist_view/layout/dist";
import type { Candidate } from "../src/wire";
import { step } from "./sample";

const OFF = { temperature: 1, top_k: 0, top_p: 1 };
const codeOf = (p: number): number => Math.round(255 * (1 + Math.log10(p) / 9));

/** Tokens by id: class and p; the first two are listed. */
const tokens: [code: number, p: number][] = [
  [0, 0.4],
  [1, 0.3],
  [1, 0.15],
  [2, 0.1],
  [3, 0.04],
  [4, 0.01],
  [1, 1e-12],
];
const ALLOWED_MASS = 0.55;
const top: Candidate[] = [0, 1].map((id) => {
  const [code, p] = tokens[id] as [number, number];
  return [id, `t${id}`, p, code === 1 ? p / ALLOWED_MASS : 0, code];
});
const here = step(0, "t1", 0, { token_id: 1, z: ALLOWED_MASS, n_allowed: 4, top });
const bulk = bulkOf(
  Uint8Array.from(tokens, ([code]) => code),
  Uint8Array.from(tokens, ([, p]) => Math.max(0, codeOf(p))),
  null,
);
const weights = weigh(here, bulk, 1) as Weights;

describe("weights", () => {
  it("keep what is listed exact and scale the rest to the exact mass on each side", () => {
    expect(weights.groups[0]).toMatchObject({ p: 0.4, id: 0 });
    const sum = (allowed: boolean) =>
      weights.groups.reduce((all, g) => all + ([1, 2, 5].includes(g.code) === allowed ? g.n * g.p : 0), 0);
    expect(sum(true)).toBeCloseTo(0.55, 12);
    expect(sum(false)).toBeCloseTo(0.45, 12);
    expect(weights.unseen).toBe(1);
  });
  it("are not there where no byte of every token is", () => {
    expect(weigh(here, undefined, 1)).toBeNull();
    expect(weigh(step(0, "x", 0, { top: [[0, "x", null, null, 1]] }), bulk, 1)).toBeNull();
  });
});

describe("a sampler", () => {
  it("as it was recorded gives the recorded figures", () => {
    const now = whatIf(weights, OFF);
    expect(now.z).toBeCloseTo(0.55, 12);
    expect(now.p.get(0)).toBeCloseTo(0.4, 12);
    expect(now.q.get(1)).toBeCloseTo(0.3 / 0.55, 12);
    expect(now.q.has(0)).toBe(false);
    expect(now.kept).toBe(3);
    expect(now.mass[1]).toBeCloseTo(0.45, 2);
  });
  it("at another temperature raises each p to a power", () => {
    const now = whatIf(weights, { ...OFF, temperature: 0.5 });
    const squares = weights.groups.map((g) => g.n * g.p * g.p);
    const whole = squares.reduce((a, b) => a + b);
    expect(now.p.get(0)).toBeCloseTo(0.16 / whole, 12);
    const colder = whatIf(weigh(here, bulk, 0.5) as Weights, { ...OFF, temperature: 0.25 });
    expect(colder.p.get(0)).toBeCloseTo(now.p.get(0) as number, 12);
  });
  it("that is greedy takes the best allowed token, with p as at temperature 1", () => {
    const now = whatIf(weights, { ...OFF, temperature: 0 });
    expect([...now.q]).toEqual([[1, 1]]);
    expect(now.kept).toBe(1);
    expect(now.p.get(0)).toBeCloseTo(0.4, 12);
  });
  it("cuts by top-k and then by top-p, as few tokens as reach the share", () => {
    expect(whatIf(weights, { ...OFF, top_k: 2 }).kept).toBe(2);
    expect(whatIf(weights, { ...OFF, top_k: 2 }).q.get(1)).toBeCloseTo(0.3 / 0.45, 2);
    expect(whatIf(weights, { ...OFF, top_p: 0.5 }).kept).toBe(1);
    expect(whatIf(weights, { ...OFF, top_p: 0.6 }).kept).toBe(2);
    expect(whatIf(weights, { temperature: 1, top_k: 2, top_p: 0.99 }).kept).toBe(2);
  });
  it("cuts within a group of equal tokens", () => {
    const many = bulkOf(new Uint8Array(1000).fill(1), new Uint8Array(1000).fill(codeOf(0.001)), null);
    const flat = weigh(step(0, "x", 0, { z: 1, top: [[0, "x", 0.001, 0.001, 1]] }), many, 1) as Weights;
    expect(whatIf(flat, { ...OFF, top_p: 0.25 }).kept).toBe(250);
    expect(whatIf(flat, { ...OFF, top_k: 10 }).kept).toBe(10);
    expect(whatIf(flat, OFF).entropy.q).toBeCloseTo(Math.log(1000), 6);
  });
  it("says how much may be in tokens that were not recorded", () => {
    expect(whatIf(weights, OFF).unseen).toBeLessThan(1e-8);
    expect(whatIf(weights, { ...OFF, temperature: 2 }).unseen).toBeGreaterThan(1e-5);
  });
  it("is worked out of groups, which a whole vocabulary has few of", () => {
    const n = 262_144;
    const provenance = Uint8Array.from({ length: n }, (_, k) => k % 4);
    const probability = Uint8Array.from({ length: n }, (_, k) => k % 200);
    const large = weigh(here, bulkOf(provenance, probability, null), 1) as Weights;
    expect(large.groups.length).toBeLessThanOrEqual(200 + here.top.length);
    let nReads = 0;
    const groups = large.groups.map((group) =>
      Object.defineProperty({ ...group }, "p", {
        get: () => {
          nReads++;
          return group.p;
        },
      }),
    );
    whatIf({ ...large, groups }, { temperature: 0.7, top_k: 40, top_p: 0.9 });
    expect(nReads).toBeGreaterThan(0);
    expect(nReads).toBeLessThan(4 * groups.length);
  });
});

describe("the run", () => {
  const run = [0.9, 0.002, 0.5, 0.002].map((z, k) => step(k, "x", k, { z }));
  it("has a lowest step, the first of equal ones, and one axis", () => {
    expect(lowestZ(run)).toBe(1);
    expect(lowestZ([step(0, "x", 0, { z: null })])).toBeNull();
    expect(decadesOfZ(run)).toBe(3);
    expect(decadesOfZ([])).toBe(2);
  });
});
