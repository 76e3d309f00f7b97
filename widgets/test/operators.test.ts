import { describe, expect, it } from "vitest";
import {
  activeSince,
  countWords,
  entryOf,
  linesInSight,
  litOf,
  type Operator,
  operatorsOf,
  placeOf,
  segmentsOf,
  shareOf,
  writtenRuns,
} from "../src/layout/operators";
import { applyPush } from "../src/trace";
import type { MaskEntry, TracePush } from "../src/wire";
import type { ActiveOperators, OperatorRow, WireOperators } from "../src/wire_operators";
import { program, step, trace } from "./sample";

const row = (kind: OperatorRow[0], parent: number, label: string, known: Partial<Record<number, unknown>> = {}) => {
  const blank = [kind, parent, 0, 9, 14, label, null, null, null, null, null, null];
  return Object.assign(blank, known) as unknown as OperatorRow;
};
/** root ::= ("ab:" | "é"){1,2} [0-9]+, the Wait made from an argument */
const tree: WireOperators = {
  n: 7,
  is_deterministic: true,
  most_active: 2,
  rules: ["root", "num"],
  rows: [
    row("Sequence", -1, "Sequence"),
    row("DoWhile", 0, "DoWhile min=1, max=2", { 6: 1, 7: 2 }),
    row("IfElse", 1, "IfElse"),
    row("Write", 2, 'Write "ab:"', { 10: "61623a", 11: 3 }),
    row("Write", 2, 'Write "é"', { 10: "c3a9", 11: 2 }),
    row("DoWhile", 0, "DoWhile min=1", { 2: 1, 3: 28, 4: 34, 6: 1, 8: "n", 9: "/xs/0/n" }),
    row("Wait", 5, "Wait allows=[0-9]", { 2: 1, 3: 28, 4: 33, 8: null, 9: "/xs/0/n" }),
  ],
};
const operators = operatorsOf(tree);
const one = (number: number) => operators[number] as Operator;
const active = (
  ...at: [operator: number, nWritten: number, ...counts: [number, number, number][]][]
): ActiveOperators => ({
  n: at.length,
  at: at.map(([operator, n_written, ...counts]) => ({ operator, n_written, counts, watched: "" })),
});

describe("operatorsOf", () => {
  it("makes subtrees ranges of numbers, and numbers the branches of an IfElse", () => {
    expect(operators.map(({ end }) => end)).toEqual([7, 5, 5, 4, 5, 7, 7]);
    expect(operators.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 3, 1, 2]);
    expect(operators.map(({ branch }) => branch)).toEqual([0, 0, 0, 1, 2, 0, 0]);
    expect(one(2).nBranches).toBe(2);
    expect(one(3).text).toBe('"ab:"');
  });
  it("says an argument once, at the first line that is made from it", () => {
    expect(one(5).argument).toBe("/xs/0/n");
    expect(one(6).argument).toBe(null);
  });
});

describe("litOf", () => {
  it("lights leaves and what they are part of, with branches, bytes and repetitions", () => {
    const lit = litOf(operators, active([3, 2, [1, 2, 2]]));
    expect([...lit.leaves]).toEqual([3]);
    expect([...lit.path].sort()).toEqual([0, 1, 2, 3]);
    expect(Object.fromEntries(lit.said)).toEqual({ 1: "2 of 1–2", 2: "branch 1 of 2", 3: "2 of 3 bytes" });
    expect(lit.first).toBe(3);
  });
  it("joins what several positions say", () => {
    const lit = litOf(operators, active([3, 1, [1, 1, 1]], [3, 0, [1, 2, 2]], [4, 1, [1, 1, 2]], [6, 0, [5, 1, 1]]));
    expect(Object.fromEntries(lit.said)).toEqual({
      1: "1–2 of 1–2",
      2: "branches 1, 2 of 2",
      3: "1 of 3 bytes",
      4: "1 of 2 bytes",
    });
  });
  it("lights nothing where nothing is active or known", () => {
    for (const known of [null, active()]) expect(litOf(operators, known).first).toBe(null);
  });
});

it("counts only where the operator counts", () => {
  expect(countWords({ least: 0, most: null }, 1, 1)).toBe("");
  expect(countWords({ least: 0, most: 1 }, 1, 1)).toBe("");
  expect(countWords({ least: 3, most: null }, 1, 2)).toBe("1–2 of 3 or more");
  expect(countWords({ least: 3, most: 3 }, 2, 2)).toBe("2 of 3");
});

describe("writtenRuns", () => {
  const bytes = (text: string) => [...new TextEncoder().encode(text)];
  it("cuts between characters", () => {
    expect(writtenRuns(bytes("aéb"), 2)).toEqual(["a", "éb"]);
    expect(writtenRuns(bytes("aéb"), 3)).toEqual(["aé", "b"]);
    expect(writtenRuns(bytes("abc"), 9)).toEqual(["abc", ""]);
  });
  it("escapes what a literal escapes, and what is no text", () => {
    expect(writtenRuns(bytes('"\n'), 1)).toEqual(['\\"', "\\n"]);
    expect(writtenRuns([0x61, 0xff, 0x62], 1)).toEqual(["a", "\\xffb"]);
  });
});

it("finds the step at which an operator, or a part of it, became active", () => {
  const steps = [[3], [4], [6], [6], [3]].map((at, k) =>
    step(k, "x", k, { operators: active(...at.map((n): [number, number] => [n, 0])) }),
  );
  expect(activeSince(steps, one(6), 3)).toBe(2);
  expect(activeSince(steps, one(1), 1)).toBe(0);
  expect(activeSince(steps, one(1), 3)).toBe(0);
  expect(activeSince(steps, one(1), 4)).toBe(4);
  expect(activeSince(steps, one(6), 0)).toBe(2);
  expect(activeSince([step(0, "x", 0)], one(6), 0)).toBe(null);
});

it("finds the place of an operator in the program: of its own rule, the smallest", () => {
  expect(placeOf(program, one(3))).toEqual({ rule: 0, state: 0 });
  expect(placeOf(program, one(6))).toEqual({ rule: 1, state: 5 });
  expect(placeOf(program, { ...one(3), span: [0, 4] })).toEqual({ rule: 0, state: null });
});

it("names a mask entry only if exactly one stands there", () => {
  const entry = (state: number) => ({ state, rule: 0 }) as MaskEntry;
  expect(entryOf(program, step(0, "a", 0, { entries: [entry(0), entry(5)] }), one(3))?.state).toBe(0);
  expect(entryOf(program, step(0, "a", 0, { entries: [entry(0), entry(1)] }), one(3))).toBe(null);
});

it("draws the lines in sight and some round them", () => {
  expect(linesInSight(10_000, 240, 24, 2400, 5)).toEqual([95, 115]);
  expect(linesInSight(8, 240, 24, 0, 5)).toEqual([0, 8]);
  expect(linesInSight(10_000, 240, 24, 240_000, 5)).toEqual([9995, 10_000]);
});

it("is kept by a push of steps, and goes with a reset", () => {
  const push = { kind: "trace", seq: 1, keep_steps: 1, steps: [], keep_columns: 0, columns: [], keep_branches: 0 };
  const known = { ...push, branches: [], notes: [], status: "idle", error: null } as TracePush;
  const whole = { ...trace, operators: tree };
  expect(applyPush(whole, known)?.operators).toBe(tree);
  expect(applyPush(whole, { ...known, reset: true })?.operators).toBe(undefined);
  expect(applyPush(trace, { ...known, reset: true, operators: tree })?.operators).toBe(tree);
});

describe("segmentsOf", () => {
  const wrote = (text: string, ...at: [number, number][]) => step(0, text, 0, { operators: active(...at) });
  const steps = [
    wrote("ab", [3, 0], [4, 0]),
    wrote(":4", [3, 2]),
    wrote("2", [3, 0], [4, 0], [6, 0]),
    wrote("3", [3, 0], [4, 0], [6, 0]),
  ];
  it("joins tokens of one operator, and says where one goes on in the next", () => {
    const found = segmentsOf(operators, steps, true).map(({ first, last, writer, crosses }) => [
      first,
      last,
      writer,
      crosses,
    ]);
    expect(found).toEqual([
      [0, 1, 3, true],
      [2, 3, 6, false],
    ]);
  });
  it("names none where several could have taken the byte", () => {
    const both = [wrote("a", [3, 0], [6, 0])];
    expect(segmentsOf(operators, both, false)[0]).toMatchObject({ writer: null, nOthers: 2 });
    expect(segmentsOf(operators, both, true)[0]).toMatchObject({ writer: 3 });
    expect(segmentsOf(operators, [step(0, "a", 0)], true)[0]).toMatchObject({ writer: null, nOthers: 0 });
  });
  it("passes over pending steps and those without bytes", () => {
    expect(segmentsOf(operators, [step(0, "", 0), step(1, "", 0, { kind: null })], true)).toEqual([]);
  });
});

it("counts the tokens in which the model had no choice", () => {
  const kinds = ["jump_forward", "jump_forward", "forced_by_grammar", "sampled", "forced_by_user", null] as const;
  const steps = kinds.map((kind, k) => step(k, "x", k, { kind }));
  expect(shareOf(steps)).toEqual({ n: 5, jumped: 2, forced: 1 });
});
