import { describe, expect, it } from "vitest";
import { BOTH, bitOf, isXor, NEITHER, ONLY_A, ONLY_B } from "../src/bulk";
import { columns, decades, lean, place, ticks } from "../src/views/compare/layout/compare";
import { pictureOf, type Rows, readMasks } from "../src/views/compare/layout/masks";
import { cellsOf, windowOf } from "../src/views/compare/layout/tapes";
import { differsIn } from "../src/views/compare/tapes";
import type { CompareReport } from "../src/wire";

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

describe("both masks", () => {
  const pack = (rows: number[][], steps: [number, boolean][]) => {
    const head = new TextEncoder().encode(JSON.stringify({ n_words: 1, steps }));
    const data = new Uint8Array(4 + head.length + 4 * rows.length);
    new DataView(data.buffer).setUint32(0, head.length, true);
    data.set(head, 4);
    for (const [k, row] of rows.entries()) data.set(row, 4 + head.length + 4 * k);
    return data;
  };
  it("are read as they are packed, and each token is whose it is", () => {
    const masks = readMasks(
      pack(
        [[0b0110], [0b0101], [0b1001]],
        [
          [3, true],
          [0, false],
        ],
      ),
    );
    expect([...masks.keys()]).toEqual([3, 0]);
    const picture = pictureOf(masks.get(3) as Rows, 4);
    expect([...picture.provenance]).toEqual([ONLY_B, BOTH, ONLY_A, NEITHER]);
    expect(picture.counts.slice(NEITHER)).toEqual([1, 1, 1, 1]);
    expect(isXor(picture)).toBe(true);
    expect([...pictureOf(masks.get(0) as Rows, 4).provenance]).toEqual([BOTH, NEITHER, NEITHER, BOTH]);
  });
  it("bits are least significant first", () => {
    const row = Uint8Array.from([0b1000_0001, 0b10]);
    expect(Array.from({ length: 20 }, (_, id) => bitOf(row)(id)).flatMap((is, id) => (is ? [id] : []))).toEqual([
      0, 7, 9,
    ]);
  });
});

describe("two tapes", () => {
  it("a token has as many columns as bytes, one without bytes three", () => {
    expect(
      cellsOf(
        [
          [0, "ab"],
          [2, "c"],
          [3, "</s>"],
        ],
        3,
      ).map(({ from, n }) => [from, n]),
    ).toEqual([
      [0, 2],
      [2, 1],
      [3, 3],
    ]);
  });
  it("the window stays while the cursor is seen in it", () => {
    expect(windowOf(0, 20, 60, 200)).toBe(0);
    expect(windowOf(0, 58, 60, 200)).toBe(38);
    expect(windowOf(38, 60, 60, 200)).toBe(38);
    expect(windowOf(38, 0, 60, 200)).toBe(0);
    expect(windowOf(0, 199, 60, 200)).toBe(140);
  });
  it("B's row says what differs: cache, time, refusal", () => {
    const side = (us: number[], caches: string[]) => ({ us: { first: us }, caches });
    const report = {
      a: side([10, 10, 10], ["miss", "miss", "miss"]),
      b: side([11, 40, 5], ["miss", "perfect_hit", "miss"]),
      divergence: { step: 2, takes_a: true, takes_b: false },
    } as unknown as CompareReport;
    expect(differsIn(report, 0)).toEqual({ shape: null, factor: "", refuses: "" });
    expect(differsIn(report, 1)).toEqual({ shape: "perfect_hit", factor: "4.0×", refuses: "" });
    expect(differsIn(report, 2)).toEqual({ shape: null, factor: "0.5×", refuses: "B" });
  });
});
