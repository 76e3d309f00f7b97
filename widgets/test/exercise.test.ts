import { describe, expect, it } from "vitest";
import { besideItem, exerciseColumns, exerciseLanes, statesInPlay } from "../src/views/chart_view/exercise/columns";
import { ColumnExercise, VERBS } from "../src/views/chart_view/exercise/layout";
import { placeColumns } from "../src/views/chart_view/layout/chart";
import type { Trace } from "../src/wire";
import { trace } from "./sample";

const last = () => new ColumnExercise(trace, 4);

describe("a column filled by hand", () => {
  it("is finished by right steps, in whatever order", () => {
    for (let seed = 1; seed < 40; seed++) {
      const exercise = last();
      let random = seed;
      for (let n = 0; n < 500 && exercise.missing > 0; n++) {
        random = (random * 48271) % 2147483647;
        const items = [3, 4].flatMap((column) => exercise.items(column));
        exercise.do(VERBS[random % 3] as "scan", items[(random >> 3) % items.length] as never);
      }
      expect(exercise.missing).toBe(0);
      expect([...exercise.found].sort().map(([index, link]) => [index, link])).toEqual([
        [0, [6, 3, 2, 3, 1, -1, -1]],
        [1, [4, 0, 3, 3, 0, 4, 0]],
      ]);
    }
  });
  it("says which step is wrong, and why", () => {
    const exercise = last();
    const [whole, num] = exercise.items(3) as [never, never];
    expect(exercise.do("scan", whole)).toMatchObject({
      right: false,
      kind: "before_rule",
      reason: "the dot is before `num`, a rule, not a byte: predict enters it",
    });
    expect(exercise.do("complete", num).kind).toBe("other_column");
    expect(exercise.do("scan", num).right).toBe(true);
    expect(exercise.do("scan", num)).toMatchObject({ kind: "already" });
    const [digit] = exercise.items(4) as [never];
    expect(exercise.do("predict", digit)).toMatchObject({ kind: "before_byte" });
    expect(exercise.add(4, 1)).toMatchObject({ kind: "not_here" });
    expect(exercise.add(4, 0).right).toBe(true);
    const root = exercise.items(4)[1] as never;
    expect(exercise.do("complete", root).reason).toBe(
      "complete of `root` needs an item of column 0 that waits for `root`; there is none: `root` is the whole, and the output may end here",
    );
    expect(exercise.score).toEqual({ right: 2, wrong: 6, hints: 0, revealed: 0 });
    expect(exercise.undo()).toBe(true);
    expect(exercise.missing).toBe(1);
  });
  it("needs the byte that the item expects", () => {
    const other: Trace = { ...trace, steps: trace.steps.map((s) => (s.index === 1 ? { ...s, bytes: "3a78" } : s)) };
    const exercise = new ColumnExercise(other, 4);
    expect(exercise.do("scan", exercise.items(3)[1] as never).reason).toBe(
      "scan needs byte 78 `x`; this item expects `[0-9]`",
    );
  });
  it("hints at a step that is right, and reveals the rest", () => {
    const exercise = last();
    expect(exercise.hint().text).toMatch(/^scan `num → • \[0-9\]\+ {2}from 3` of column 3$/);
    exercise.reveal();
    expect(exercise.missing).toBe(0);
    expect(exercise.hint().item).toBeNull();
    expect(exercise.score).toMatchObject({ hints: 1, revealed: 2 });
  });
  it("begins column 0 with the start", () => {
    const exercise = new ColumnExercise(trace, 0);
    expect(exercise.missing).toBe(0);
    expect(exercise.do("scan", exercise.items(0)[0] as never).kind).toBe("no_byte");
  });
});

describe("its drawing", () => {
  it("shows the columns that items began in, and folds what lies between", () => {
    expect(exerciseColumns(trace, 4).map((c) => [c.column, c.kind])).toEqual([
      [0, "past"],
      [2, "fold"],
      [3, "past"],
      [4, "live"],
    ]);
    expect(exerciseColumns(trace, 0).map((c) => c.column)).toEqual([0]);
  });
  it("keeps a row for every item, so that nothing moves", () => {
    const placed = placeColumns(exerciseColumns(trace, 4), [], 900);
    expect(exerciseLanes(placed, 4, 0, 10).map((lane) => [lane.rule, lane.rows])).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });
  it("moves from item to item by keys", () => {
    const at = (x: number, y: number) => ({ x, y, item: null as never });
    const [a, b, c] = [at(0, 0), at(0, 40), at(100, 40)] as const;
    const places = [a, b, c];
    expect(besideItem(places, undefined, "ArrowDown")).toBe(a);
    expect(besideItem(places, a, "ArrowDown")).toBe(b);
    expect(besideItem(places, b, "ArrowDown")).toBe(b);
    expect(besideItem(places, a, "ArrowRight")).toBe(c);
    expect(besideItem(places, c, "ArrowLeft")).toBe(b);
    expect(besideItem(places, c, "ArrowRight")).toBe(c);
    expect(besideItem(places, b, "End")).toBe(c);
  });
  it("offers the states of rules in play", () => {
    expect(statesInPlay(trace, 4)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});
