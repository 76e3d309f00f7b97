import { describe, expect, it } from "vitest";
import {
  candidateColumns,
  foldedPast,
  gutterOf,
  laneItems,
  lanesOf,
  namedIn,
  placeColumns,
} from "../src/views/chart_view/layout/chart";
import { dotted, onward, passed, story, waitingFor } from "../src/views/chart_view/layout/text";
import type { Trace } from "../src/wire";
import { program, trace } from "./sample";

describe("the chart", () => {
  const bytes = [97, 98, 58, 52];
  it("keeps the live column and what leads to it, and drops early columns first", () => {
    const past = foldedPast(trace, 4, bytes);
    expect(past.map((c) => c.column)).toEqual([0, 1, 2, 3, 4]);
    expect(past.at(-1)).toMatchObject({ kind: "live", byte: 52 });
    expect(placeColumns(past, [], 440).map((p) => p.column.column)).toEqual([3, 4]);
    expect(placeColumns(past, [], 2000)).toHaveLength(5);
  });
  it("keeps its columns readable where there is no room for any", () => {
    for (let width = 1; width < 300; width += 7)
      for (const placed of placeColumns(foldedPast(trace, 4, bytes), [], width))
        expect(placed.width).toBeGreaterThan(50);
  });
  it("folds a run of columns that say the same", () => {
    const same = Array.from({ length: 9 }, (_, k) => [[6, 0, 2, k, 0, -1, -1] as never]);
    const long: Trace = { ...trace, chart: { columns: [...trace.chart.columns.slice(0, 1), ...same] } };
    const folded = foldedPast(long, 9, bytes).filter((c) => c.kind === "fold");
    expect(folded).toHaveLength(1);
    expect(folded[0]?.folded).toBeGreaterThanOrEqual(3);
  });
  it("adds a column for each byte of the candidate, the last one dead", () => {
    const why = {
      walk: [
        { byte: 53, alive: true, items: [{ state: 6, rule: 1, origin: 3, before: "", after: "" }] },
        { byte: 33, alive: false, items: [] },
      ],
    };
    expect(candidateColumns(4, why as never).map((c) => [c.column, c.kind])).toEqual([
      [5, "candidate"],
      [6, "dead"],
    ]);
    expect(
      placeColumns(foldedPast(trace, 4, bytes), candidateColumns(4, why as never), 540).map((p) => p.column.kind),
    ).toEqual(["live", "candidate", "dead"]);
  });
  it("gives a rule one lane, moved items before predicted ones", () => {
    const placed = placeColumns(foldedPast(trace, 4, bytes), [], 2000);
    const lanes = lanesOf(placed, 50, 24);
    expect(lanes.map((l) => l.rule)).toEqual([0, 1]);
    expect(lanes[1]?.y).toBe(50 + 24 + 6);
    expect(laneItems((placed[3] as never as { column: never }).column, 1)).toHaveLength(1);
  });
  it("says what the dot passed last", () => {
    const columns = trace.chart.columns;
    expect(passed(trace, columns[4]?.[0] as never, 52)).toBe("[0-9]");
    expect(passed(trace, columns[4]?.[1] as never, 52)).toBe("num");
    expect(passed(trace, columns[0]?.[0] as never, null)).toBe("");
    expect(onward(program, 6)).toEqual(["[0-9]"]);
  });
  it("finds the parents that wait", () => expect(waitingFor(trace, 1, 3)).toEqual([{ rule: 0, state: 3, column: 3 }]));
  it("keeps what is near the dot", () => {
    expect(dotted("abc", ["def", "g"], 20)).toEqual(["abc", "def | g"]);
    expect(dotted("0123456789", ["abcdefghij"], 13)).toEqual(["…6789", "abcd…"]);
    expect(dotted('"x"', ["num", "word", "string"], 17)).toEqual(['"x"', "num | …"]);
  });
  it("tells how an item came to be", () => {
    const columns = trace.chart.columns;
    expect(story(trace, columns[4]?.[1] as never, 4)).toBe(
      "num is complete: back to column 3, move the dot there, into column 4",
    );
    expect(story(trace, columns[3]?.[1] as never, 3)).toMatch(/predicted in column 3/);
  });
});

describe("names of rules", () => {
  const bytes = [97, 98, 58, 52];
  it("get the room they need, up to a fifth of the width, and never jitter", () => {
    expect(gutterOf(["root"], 1100)).toBe(104);
    expect(gutterOf(["root", "get_current_weather"], 1100)).toBe(Math.round(19 * 7.25 + 14));
    expect(gutterOf(["a".repeat(90)], 600)).toBe(120);
    expect(gutterOf(["a".repeat(90)], 4000)).toBe(232);
    expect(placeColumns(foldedPast(trace, 4, bytes), [], 900, null, 180)[0]?.x).toBe(180);
  });
  it("take a second line at a joint before anything is cut", () => {
    expect(namedIn("string", 13)).toEqual(["string"]);
    expect(namedIn("get_current_weather", 13)).toEqual(["get_current_", "weather"]);
    expect(namedIn("abcdefghijklmnopqrst", 13)).toEqual(["abcdefghijklm", "nopqrst"]);
    expect(namedIn("a".repeat(40), 13).map((line) => line.length)).toEqual([13, 13]);
  });
});
