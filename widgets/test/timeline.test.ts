import { describe, expect, it } from "vitest";
import {
  barsPath,
  blockAt,
  GUTTER,
  showing,
  timeline,
  timeTicks,
  uncovered,
  within,
} from "../src/views/timeline_view/layout";
import type { Lane, Step } from "../src/wire";
import { trace as sample, step } from "./sample";

const { header } = sample;
const lanes = (model: Lane | null, mask: Lane | null, wait_ns: number | null, more = {}) => ({
  lanes: { model, mask, apply: null, sample: null, wait_ns, ...more },
});
/** n steps of 1000 ns each with a rest of a minute between them; the mask ends `late` ns after the model */
const run = (n: number, late = 0): Step[] =>
  Array.from({ length: n }, (_, k) => {
    const at = k * 60e9;
    return step(k, "x", k, lanes([at, at + 1000 - late], [at + 600, at + 1000], late));
  });

describe("the timeline", () => {
  it("stands blocks side by side, rests left out and what overlapped still overlapping", () => {
    const blocks = timeline(run(3), header);
    expect(blocks.map((b) => [b.begin, b.end])).toEqual([
      [0, 1000],
      [1000, 2000],
      [2000, 3000],
    ]);
    expect(blocks[2]?.bars).toEqual({ model: [[2000, 3000]], mask: [[2600, 3000]], wait: [], apply: [] });
  });
  it("shows as wait what the model does not cover, before it and after it", () => {
    expect(uncovered([0, 10], [4, 20])).toEqual([[0, 4]]);
    expect(uncovered([0, 10], [2, 5])).toEqual([
      [0, 2],
      [5, 10],
    ]);
    expect(uncovered([3, 9], [3, 9])).toEqual([]);
    expect(timeline(run(1, 100), header)[0]?.bars.wait).toEqual([[900, 1000]]);
  });
  it("puts the compilation beside the prompt and the draw behind the mask", () => {
    const prompt = step(0, "x", 0, lanes([50, 900], [700, 720], 0, { apply: [910, 930], sample: [90_000, 90_010] }));
    const [block] = timeline([prompt], { ...header, compile_lane: [100, 400] });
    expect(block?.compile).toEqual([50, 350]);
    expect(block?.bars.apply).toEqual([[860, 890]]);
    expect(block?.end).toBe(890);
  });
  it("gives steps without times no room, and no axis of its own", () => {
    const blocks = timeline([step(0, "x", 0), ...run(2).map((s) => ({ ...s, index: s.index + 1 }))], header);
    expect(blocks.map((b) => b.end)).toEqual([0, 1000, 2000]);
    expect(within([], { from: 5, span: 0 })).toEqual({ from: 0, span: 1 });
    expect(blockAt([], 3)).toBeNull();
  });
  it("finds the block at a time", () => {
    const blocks = timeline(run(500), header);
    for (const k of [0, 1, 250, 499]) expect(blockAt(blocks, k * 1000 + 500)?.index).toBe(k);
    expect(blockAt(blocks, 1e12)?.index).toBe(499);
  });
  it("brings a step into sight, and moves nothing where it is", () => {
    const blocks = timeline(run(100), header);
    const window = { from: 20_000, span: 10_000 };
    expect(showing(blocks, window, 25)).toEqual(window);
    expect(showing(blocks, window, 50)).toEqual({ from: 45_500, span: 10_000 });
    expect(showing(blocks, window, 0).from).toBe(0);
    expect(showing(blocks, window, 99).from).toBe(90_000);
    const close = { from: 25_200, span: 500 };
    expect(showing(blocks, { ...close, span: 1000 }, 25).span).toBe(1000);
    expect(within(blocks, close).span).toBe(1000); // no closer than a microsecond
  });
  it("draws only what is in sight, inside the box", () => {
    const blocks = timeline(run(1000, 50), header);
    for (const window of [within(blocks, { from: 0, span: 0 }), { from: 500_000, span: 8000 }])
      for (const row of ["model", "mask", "wait"] as const) {
        const path = barsPath(blocks, row, window, 640, 10, 16);
        const xs = [...path.matchAll(/M([\d.]+) /g)].map((m) => Number(m[1]));
        const ends = [...path.matchAll(/M([\d.]+) \d+h([\d.]+)/g)].map((m) => Number(m[1]) + Number(m[2]));
        expect(Math.min(...xs)).toBeGreaterThanOrEqual(GUTTER);
        expect(Math.max(...ends)).toBeLessThanOrEqual(642);
        expect(xs.length).toBeLessThanOrEqual(window.span === 8000 ? 10 : 1000);
        expect(xs.length).toBeGreaterThan(6);
      }
  });
  it("labels round times that don't touch", () => {
    const ticks = timeTicks({ from: 1234, span: 10_000 }, 600);
    expect(ticks).toEqual([2000, 4000, 6000, 8000, 10_000]);
    for (const span of [1000, 33_000, 1e6, 4.2e9]) {
      const found = timeTicks({ from: 0, span }, 600);
      expect(found.length).toBeGreaterThan(1);
      expect(((found[1] as number) * (600 - GUTTER)) / span).toBeGreaterThanOrEqual(72);
    }
  });
});
