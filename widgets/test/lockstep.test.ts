import { describe, expect, it } from "vitest";
import { firstParting, letter, rowsOf, stepAt } from "../src/views/lockstep_view/layout";
import type { LockstepReport, LockstepSide } from "../src/wire";

type Row = LockstepSide["steps"][number];
const side = (name: string, ...steps: Row[]): LockstepSide => {
  return { name, status: "idle", stopped: "", hint: "", nats: null, steps };
};
const took = (byte: number, text: string): Row => [byte, text.length, 1, text, 0.5, 2];
const pending = (byte: number): Row => [byte, 0, null, "", 0.5, 2];
const parting = (byte: number): LockstepReport["partings"][number] => {
  return { byte, steps: [0, 0], texts: ["", ""], why: "drawn", says: "", refused: [] };
};
const report: LockstepReport = {
  sides: [
    side("one", took(0, "abc"), took(3, "d"), pending(4)),
    side("two", took(0, "a"), took(1, "bc"), took(3, "xy"), pending(5)),
  ],
  varies: [],
  partings: [parting(3)],
  held: {},
  newest: [],
  is_running: false,
};
const [one, two] = report.sides as [LockstepSide, LockstepSide];

describe("runs side by side", () => {
  it("stand at the bytes of their tokens, and the pending step behind the last of them", () => {
    const { rows, end } = rowsOf(report);
    expect(end).toBe(5);
    expect(rows.map((row) => row.map(({ from, n }) => [from, n]))).toEqual([
      [
        [0, 3],
        [3, 1],
        [4, 3],
      ],
      [
        [0, 1],
        [1, 2],
        [3, 2],
        [5, 3],
      ],
    ]);
  });
  it("are looked at by byte: the step that begins there or before it, or the newest", () => {
    expect([0, 1, 2, 3, 4, 9].map((byte) => stepAt(one, byte))).toEqual([0, 0, 0, 1, 2, 2]);
    expect([0, 1, 2, 3, 4, 5].map((byte) => stepAt(two, byte))).toEqual([0, 1, 1, 2, 2, 3]);
    expect([stepAt(one, null), stepAt(two, null)]).toEqual([2, 3]);
    expect(stepAt(side("none"), 3)).toBe(0);
  });
  it("part at the least byte at which one differs from the first", () => {
    expect(firstParting(report)).toBe(3);
    expect(firstParting({ ...report, partings: [null, parting(7), parting(5)] })).toBe(5);
    expect(firstParting({ ...report, partings: [null] })).toBeNull();
    expect([0, 1, 2, 3].map(letter).join("")).toBe("ABCD");
  });
});
