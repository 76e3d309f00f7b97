import { describe, expect, it } from "vitest";
import { applyPush } from "../src/trace";
import { EntryBook } from "../src/views/operator_view/layout/entries";
import {
  activeSince,
  firstLine,
  litOf,
  nLines,
  type Operator,
  operatorsOf,
  placeOf,
  writtenRuns,
} from "../src/views/operator_view/layout/operators";
import { segmentsOf } from "../src/views/operator_view/layout/segments";
import type { ActiveOperators, MaskEntry, OperatorRow, Reader, Trace, TracePush, WireOperators } from "../src/wire";
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
const active = (...at: [operator: number, nWritten: number][]): ActiveOperators => ({
  n: at.length,
  at: at.map(([operator, n_written]) => ({ operator, n_written, counts: [], watched: "" })),
});

describe("operatorsOf", () => {
  it("makes subtrees ranges of numbers", () => {
    expect(operators.map(({ end }) => end)).toEqual([7, 5, 5, 4, 5, 7, 7]);
    expect(operators.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 3, 1, 2]);
    expect(one(3).text).toBe('"ab:"');
  });
  it("says an argument once, at the first line that is made from it", () => {
    expect(one(5).argument).toBe("/xs/0/n");
    expect(one(6).argument).toBe(null);
  });
});

describe("litOf", () => {
  it("lights leaves and what they are part of, with the words beside them", () => {
    const said = { 1: "2 of 1–2", 3: "2 of 3 bytes" };
    const lit = litOf(operators, { ...active([3, 2], [3, 1]), said });
    expect([...lit.leaves]).toEqual([3]);
    expect([...lit.path].sort()).toEqual([0, 1, 2, 3]);
    expect([...lit.written]).toEqual([[3, 2]]);
    expect(Object.fromEntries(lit.said)).toEqual(said);
    expect(lit.first).toBe(3);
  });
  it("lights nothing where nothing is active or known", () => {
    for (const known of [null, active()]) expect(litOf(operators, known).first).toBe(null);
  });
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

it("finds the place that was made from the operator's own argument", () => {
  const states = program.states.map((state) =>
    state.rule === 1 ? { ...state, argument: `/xs/${state.id - 5}/n` } : state,
  );
  const made = { ...program, states };
  expect(placeOf(made, { ...one(6), madeFrom: "/xs/1/n" }).state).toBe(6);
  expect(placeOf(made, { ...one(6), madeFrom: "/xs/0/n" }).state).toBe(5);
});

describe("the mask entries of a line", () => {
  const entry = (state: number, known: Partial<MaskEntry> = {}) =>
    ({ state, rule: 0, hits: 1, build_us: 2, maker: "own", ...known }) as MaskEntry;
  const steps = [
    step(0, "a", 0, { entries: [entry(0), entry(5, { maker: "pool" })] }),
    step(1, "b", 1, { entries: [entry(1, { hits: 4 })] }),
    step(2, "c", 2, { entries: [entry(0, { hits: 9 }), entry(6)] }),
  ];
  const readers: Reader[] = [
    [9, 14, [0, 1, 2]],
    [28, 33, [5, 6]],
  ];
  const of = (cursor: number, number: number, known: Partial<Trace> = {}) =>
    new EntryBook({ ...trace, steps, operators: { ...tree, readers }, ...known }, cursor).of(one(number));
  it("are of the states that read its text, added up", () => {
    expect(of(0, 3)).toMatchObject({ hits: 1, us: 2, makers: ["own"] });
    expect(of(2, 3)).toMatchObject({ hits: 13, us: 4, makers: ["own"] });
    expect(of(0, 6)?.entries.map(({ state }) => state)).toEqual([5]);
    expect([of(2, 0), of(2, 2)]).toEqual([null, null]);
    expect(of(0, 3, { steps: [] })).toBe(null);
  });
  it("say who made them, and have their newest figures", () => {
    expect(of(0, 6)?.makers).toEqual(["pool"]);
    expect(of(2, 6)?.makers).toEqual(["own", "pool"]);
    const counted = [step(0, "a", 0, { entries: [entry(0, { counts: "1" }), entry(0, { counts: "2" })] })];
    expect(of(0, 3, { steps: counted })?.entries).toHaveLength(2);
    expect(of(2, 6, { operators: tree })).toBe(null); // an older trace doesn't say which states read a text
  });
  it("are in an instance those of its own argument, and of what has none", () => {
    const states = program.states.map((state) => (state.id === 6 ? { ...state, argument: "/xs/1/n" } : state));
    const made = { program: { ...program, states } };
    expect(of(2, 6, made)?.entries.map(({ state }) => state)).toEqual([5]);
  });
});

it("draws as many lines wherever the list stands, and moves by blocks", () => {
  const n = nLines(10_000, 240, 24);
  expect(n).toBe(10 + 24);
  const firsts = new Set<number>();
  for (let top = 0; top <= 240_000 - 240; top += 24) {
    const first = firstLine(10_000, 240, 24, top);
    firsts.add(first);
    expect(first).toBeLessThanOrEqual(Math.floor(top / 24));
    expect(first + n).toBeGreaterThanOrEqual(Math.min(10_000, Math.ceil((top + 240) / 24)));
  }
  expect(firsts.size).toBeLessThan(10_000 / 8 + 2);
  expect([nLines(8, 240, 24), firstLine(8, 240, 24, 96)]).toEqual([8, 0]);
});

it("reads a tree once for all views", () => {
  expect(operatorsOf(tree)).toBe(operatorsOf(tree));
  expect(operatorsOf({ ...tree })).not.toBe(operatorsOf(tree));
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
  const wrote = (k: number, writer: number | null, text: string, begins: boolean) =>
    step(k, "a", k, { written: { writer, text, begins } });
  const steps = [
    wrote(0, 3, 'Write "ab:"', true),
    wrote(1, 3, 'Write "ab:", and on', false),
    step(2, "", 2, { written: null }),
    wrote(3, null, "one of 2", true),
  ];
  it("joins tokens of one operator, and says where the last goes on in the next", () => {
    expect(segmentsOf(steps)).toEqual([
      { first: 0, last: 1, writer: 3, text: 'Write "ab:", and on' },
      { first: 3, last: 3, writer: null, text: "one of 2" },
    ]);
  });
  it("begins where the steps that are shown do", () => {
    expect(segmentsOf(steps.slice(1, 2))).toEqual([{ first: 0, last: 0, writer: 3, text: 'Write "ab:", and on' }]);
    expect(segmentsOf([step(0, "a", 0)])).toEqual([]);
  });
});
