import { describe, expect, it } from "vitest";
import { bulkOf, decodeProb, isAllowed } from "../src/bulk";
import { bands, cellOf, gridFor, rankAt, rove, tokensOfClass } from "../src/views/mask_lens/layout/mask";
import { columnWidth, GUTTER, logHeight, overviewBins, tapeText, tapeWindow } from "../src/views/tape/layout";
import { sourceLines, stateAtOffset } from "../src/views/why_card/layout/source";
import { Vocabulary } from "../src/vocabulary";
import { program, SOURCE, step } from "./sample";

describe("the tape", () => {
  const steps = Array.from({ length: 40 }, (_, k) => step(k, "word", 4 * k));
  it("fills the width round the cursor, and shows it always", () => {
    for (const cursor of [0, 7, 20, 39]) {
      const view = tapeWindow(steps, 600, cursor);
      expect(view.from).toBeLessThanOrEqual(cursor);
      expect(view.to).toBeGreaterThan(cursor);
      expect(view.end - GUTTER).toBeLessThanOrEqual(600);
      expect(view.end - GUTTER + columnWidth(steps[0] as never)).toBeGreaterThan(600);
    }
  });
  it("joins columns without gaps", () => {
    const { columns } = tapeWindow(steps, 600, 20);
    for (let k = 1; k < columns.length; k++)
      expect(columns[k]?.x).toBe((columns[k - 1]?.x as number) + (columns[k - 1]?.width as number));
  });
  it("is empty without steps, and shows one even where there is no room", () => {
    expect(tapeWindow([], 600, 0).columns).toEqual([]);
    expect(tapeWindow(steps, 1, 3).columns.map((c) => c.index)).toEqual([3]);
  });
  it("cuts the middle of a long token and marks the pending step", () => {
    expect(tapeText(step(0, "x".repeat(60), 0))).toMatch(/^x+…x{5}$/);
    expect(tapeText(step(0, "", 0, { kind: null }))).toBe("?");
  });
  it("keeps the worst of the steps that share a bin", () => {
    const bins = overviewBins(
      steps.map((s) => ({ ...s, z: s.index === 33 ? 0.1 : 1 })),
      40,
    );
    expect(bins).toHaveLength(20);
    expect(Math.max(...bins.map((b) => b.lost))).toBeCloseTo(0.9);
  });
  it("has one log scale for times", () =>
    expect([logHeight(1, 43), logHeight(100, 43), logHeight(1e9, 43)]).toEqual([1.5, 20, 43]));
});

describe("the mask's grid", () => {
  it.each([1, 7, 2048, 32_000, 151_936, 262_144, 300_000])(
    "holds %i tokens in 512 px, and points go back to tokens",
    (n) => {
      const grid = gridFor(n, 512);
      expect(grid.columns * grid.cell).toBeLessThanOrEqual(512);
      expect(grid.rows * grid.cell).toBeLessThanOrEqual(512);
      for (const rank of [0, n >> 1, n - 1]) {
        const { x, y } = cellOf(grid, rank);
        expect(rankAt(grid, x, y)).toBe(rank - (rank % grid.pooled));
      }
    },
  );
  it("gives one pixel a token at 262,144, larger cells to small vocabularies, shares pixels beyond", () => {
    expect(gridFor(262_144, 512)).toMatchObject({ cell: 1, columns: 512, rows: 512, pooled: 1 });
    expect(gridFor(2048, 512).cell).toBe(11);
    expect(gridFor(262_144, 384).pooled).toBe(2);
  });
  it("knows no token outside", () => {
    const grid = gridFor(10, 512);
    expect(rankAt(grid, -1, 0)).toBeNull();
    expect(rankAt(grid, 511, 511)).toBeNull();
  });
  it("moves the roving cell and stops at the ends", () => {
    const grid = gridFor(2048, 512);
    expect(rove(grid, 5, "ArrowRight")).toBe(6);
    expect(rove(grid, 5, "ArrowDown")).toBe(5 + grid.columns);
    expect(rove(grid, 0, "ArrowLeft")).toBe(0);
    expect(rove(grid, 3, "End")).toBe(2047);
    expect(rove(grid, 3, "a")).toBeNull();
  });
  it("labels bands by first byte where there is room", () => {
    const n = 2000;
    const blob = Uint8Array.from({ length: n }, (_, k) => (k < 1000 ? 0x41 : 0xc3));
    const vocabulary = new Vocabulary(
      blob,
      Uint32Array.from({ length: n + 1 }, (_, k) => k),
      Uint32Array.from({ length: n }, (_, k) => k),
    );
    expect(bands(vocabulary, gridFor(n, 512)).map((b) => b.label)).toEqual(["A", "C3"]);
  });
  it("lists a class by probability", () => {
    const bulk = bulkOf(Uint8Array.from([1, 3, 3, 0]), Uint8Array.from([9, 1, 200, 255]), null);
    expect(tokensOfClass(bulk, [3], 5)).toEqual([2, 1]);
    expect(tokensOfClass(bulk, [0, 1, 3], 2)).toEqual([3, 2]);
    expect(tokensOfClass(bulk, [5], 2)).toEqual([]);
    expect(bulk.counts).toEqual([1, 1, 0, 2, 0, 0, 0, 0]);
    expect([0, 1, 2, 3, 4, 5, 6, 7].filter(isAllowed)).toEqual([1, 2, 5]);
    expect([255, 227, 0].map(decodeProb).map((p) => Number(p.toPrecision(3)))).toEqual([1, 0.103, 0]);
  });
});

describe("the source", () => {
  it("is cut into lines and runs without losing a character", () => {
    const lines = sourceLines(SOURCE, program, [[15, 18]]);
    expect(lines.map((l) => l.runs.map((r) => r.text).join(""))).toEqual(SOURCE.trimEnd().split("\n"));
    expect(lines[0]?.runs.filter((r) => r.marked).map((r) => r.text)).toEqual(["num"]);
    expect(lines.map((l) => l.runs.find((r) => r.rule)?.rule?.name)).toEqual(["root", "num"]);
  });
  it("tells where the parse stands from what is selected", () => {
    const [line] = sourceLines(SOURCE, program, [], [[9, 14]]);
    expect(line?.runs.filter((r) => r.live).map((r) => r.text)).toEqual(['"ab:"']);
    expect(line?.marked).toBe(false);
  });
  it("finds the state at a place", () => {
    expect(stateAtOffset(program, 16)?.id).toBe(3);
    expect(stateAtOffset(program, 7)).toBeNull();
  });
});
