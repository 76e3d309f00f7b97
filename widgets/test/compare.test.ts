import { describe, expect, it } from "vitest";
import { BOTH, bitOf, isXor, NEITHER, ONLY_A, ONLY_B } from "../src/bulk";
import { columns, decades, lean, place, ticks } from "../src/views/compare/layout/compare";
import {
  bytesTold,
  differsAt,
  markOf,
  masksTold,
  pairFor,
  percentile,
  stateOf,
  tapeOf,
  told,
  whereTold,
} from "../src/views/compare/layout/engines";
import { differing, type Kept, pairOf, pictureOf, readMasks } from "../src/views/compare/layout/masks";
import { cellsOf, windowOf } from "../src/views/compare/layout/tapes";
import { differsIn } from "../src/views/compare/tapes";
import type { CompareReport, EngineDisagreement, EngineReport, EngineSide } from "../src/wire";

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
  const pack = (rows: number[][], steps: [number, ...boolean[]][]) => {
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
    const picture = pictureOf(pairOf(masks.get(3) as Kept, 0, 1), 4);
    expect([...picture.provenance]).toEqual([ONLY_B, BOTH, ONLY_A, NEITHER]);
    expect(picture.counts.slice(NEITHER)).toEqual([1, 1, 1, 1]);
    expect(isXor(picture)).toBe(true);
    expect([...pictureOf(pairOf(masks.get(0) as Kept, 0, 1), 4).provenance]).toEqual([BOTH, NEITHER, NEITHER, BOTH]);
  });
  it("of several sides any two are laid over each other", () => {
    const kept = readMasks(pack([[0b0110], [0b0101], [0b0101], [0b1000]], [[2, true, true, false, true]])).get(
      2,
    ) as Kept;
    const alone = (a: number, b: number) => differing(pairOf(kept, a, b), 4, 2);
    expect(alone(0, 1)).toEqual({
      ids: [
        [0, false],
        [2, true],
      ],
      counts: [1, 1],
    });
    expect(alone(1, 0).counts).toEqual([1, 1]);
    expect(pairOf(kept, 1, 2).xor).toBeNull(); // both differ from the first in the same bits
    expect(pairOf(kept, 0, 3).xor).toBeNull();
    expect(alone(0, 4)).toEqual({ ids: [[3, false]], counts: [0, 1] });
    expect(alone(1, 4)).toEqual({
      ids: [
        [0, true],
        [2, false],
      ],
      counts: [1, 2],
    });
    expect(alone(3, 3)).toEqual({ ids: [], counts: [0, 0] });
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

describe("engines", () => {
  const side = (name: string, more: Partial<EngineSide> = {}): EngineSide => ({
    name,
    version: "1",
    phase: "done",
    refused: "",
    failed: "",
    compile_us: [],
    cold_us: [],
    warm_us: [],
    n_allowed: [2, 2, 1],
    n_followed: 2,
    refuses: null,
    issue: "",
    ...more,
  });
  const parting: EngineDisagreement = {
    a: "ours",
    b: "faulty",
    step: 1,
    byte: 2,
    token_id: 7,
    text: "a b",
    bytes: "612062",
    takes_a: true,
    takes_b: false,
    n_only_a: 1,
    n_only_b: 1200,
    only_a: [7],
    only_b: [],
    listed: [],
    verdicts: [],
  };
  const report = {
    engines: [
      side("ours"),
      side("twin"),
      side("faulty", { refuses: 1, n_allowed: [3, 2] }),
      side("gone", { n_allowed: [], refused: "ValueError: no", n_followed: 0 }),
    ],
    groups: [
      [0, 0, 1, -1],
      [0, 0, 1, -1],
      [0, 0, -1, -1],
    ],
    tape: [
      [0, "{}"],
      [2, "a b"],
    ],
    n_bytes: 5,
    n_steps: 3,
    disagreements: [parting],
  } as unknown as EngineReport;

  it("an engine's mask is the first one's, another, or none, and a refusal comes before", () => {
    expect([0, 1, 2, 3].map((k) => markOf(report, 0, k))).toEqual(["same", "same", "differs", "none"]);
    expect([0, 1, 2].map((k) => markOf(report, 1, k))).toEqual(["same", "same", "refuses"]);
    expect(markOf(report, 2, 2)).toBe("none");
    expect(markOf(report, 9, 0)).toBe("none");
    const headless = { ...report, groups: [[-1, 0, 1, 0]] } as EngineReport; // the reference has no mask: the next one stands for it
    expect([1, 2, 3].map((k) => markOf(headless, 0, k))).toEqual(["same", "differs", "same"]);
  });
  it("a step differs if any two masks do", () => {
    expect([0, 1, 2, 3].map((step) => differsAt(report, step))).toEqual([true, true, false, false]);
  });
  it("the tape ends with the mask that comes after the text", () => {
    expect(tapeOf(report).map(({ text, from, n }) => [text, from, n])).toEqual([
      ["{}", 0, 2],
      ["a b", 2, 3],
      ["end", 5, 4],
    ]);
    expect(tapeOf({ ...report, n_steps: 2 }).length).toBe(2);
  });
  it("the reference and whoever parts from it are shown first", () => {
    expect(pairFor(report)).toEqual([0, 2]);
    expect(pairFor({ ...report, disagreements: [] })).toEqual([0, 1]);
    expect(pairFor({ ...report, disagreements: [], engines: [side("ours")] })).toEqual([0, 0]);
  });
  it("percentiles are of the nearest rank", () => {
    expect([percentile([], 0.5), percentile([4, 1, 3, 2], 0.5), percentile([4, 1, 3, 2], 0.99)]).toEqual([null, 2, 4]);
    expect(percentile([7], 0)).toBe(7);
  });
  it("a step and a parting are told in words", () => {
    expect(told(report, 1)).toBe(
      "Step 1, before a·b: ours allows 2; twin allows 2, the same; faulty allows 2, refuses it; gone has no mask",
    );
    expect(told(report, 2)).toBe(
      "Step 2, the end of the text: ours allows 1; twin allows 1, the same; faulty has no mask; gone has no mask",
    );
    expect(whereTold(parting)).toBe("byte 2, before a·b (61 20 62): ours alone takes it");
    expect(whereTold({ ...parting, token_id: null, takes_b: true })).toBe("byte 2, at the end of the text");
    expect(masksTold(parting)).toBe("1 token in the mask of ours alone, 1,200 in that of faulty");
    expect(bytesTold("00".repeat(12))).toBe("00 00 00 00 00 00 00 00 …");
  });
  it("an engine's end is a word", () => {
    expect(stateOf(side("x"), 2)).toBe("2 of 2");
    expect(stateOf(side("x", { refused: "ValueError: no" }), 2)).toBe("refused");
    expect(stateOf(side("x", { failed: "timeout: replay took longer than 1 s" }), 2)).toBe("timeout");
    expect(stateOf(side("x", { failed: "failed after 1 tokens: KeyError" }), 2)).toBe("failed");
    expect(stateOf(side("x", { phase: "compiling" }), 2)).toBe("compiling");
  });
});
