import { describe, expect, it } from "vitest";
import { applyPush } from "../src/trace";
import { EntryBook, entriesUntil } from "../src/views/operator_view/layout/entries";
import {
  activeSince,
  countWords,
  firstLine,
  litOf,
  nLines,
  type Operator,
  operatorsOf,
  placeOf,
  writtenRuns,
} from "../src/views/operator_view/layout/operators";
import { type Segment, sayShare, segmentsOf, shareOf, writerText } from "../src/views/operator_view/layout/segments";
import type { ActiveOperators, MaskEntry, OperatorRow, Trace, TracePush, WireOperators } from "../src/wire";
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
    ({ state, rule: 0, hits: 1, build_us: 2, cache: "miss", donor: 7, ...known }) as MaskEntry;
  const steps = [
    step(0, "a", 0, { entries: [entry(0), entry(5, { cache: "perfect_hit", donor: 3 })] }),
    step(1, "b", 1, { entries: [entry(1, { hits: 4 })] }),
    step(2, "c", 2, { entries: [entry(0, { hits: 9 }), entry(6, { cache: "partial_hit" })] }),
  ];
  const of = (cursor: number, number: number, known: Partial<Trace> = {}) =>
    new EntryBook({ ...trace, steps, ...known }, cursor).of(one(number));
  it("are those that steps up to the cursor used, with their newest figures", () => {
    expect(entriesUntil(steps, 0).map(({ state, hits }) => [state, hits])).toEqual([
      [0, 1],
      [5, 1],
    ]);
    expect(entriesUntil(steps, 2).map(({ state, hits }) => [state, hits])).toEqual([
      [0, 9],
      [1, 4],
      [5, 1],
      [6, 1],
    ]);
    const counted = [step(0, "a", 0, { entries: [entry(0, { counts: "1" }), entry(0, { counts: "2" })] })];
    expect(entriesUntil(counted, 0)).toHaveLength(2);
  });
  it("are of the states that read its text, added up", () => {
    expect(of(0, 3)).toMatchObject({ hits: 1, us: 2, makers: ["own"] });
    expect(of(2, 3)).toMatchObject({ hits: 13, us: 4, makers: ["own"] });
    expect(of(0, 6)?.entries.map(({ state }) => state)).toEqual([5]);
    expect([of(2, 0), of(2, 2)]).toEqual([null, null]);
    expect(of(0, 3, { steps: [] })).toBe(null);
  });
  it("say who made them", () => {
    expect(of(0, 6)?.makers).toEqual(["pool"]);
    expect(of(2, 6)?.makers).toEqual(["own", "pool"]); // the donor of one is this grammar
    const template = { obstacles: [] as string[] } as NonNullable<Trace["header"]["template"]>;
    expect(of(2, 6, { header: { ...trace.header, template } })?.makers).toEqual(["template"]);
    const compiled = { ...template, obstacles: ["lazy"] };
    expect(of(2, 6, { header: { ...trace.header, template: compiled } })?.makers).toEqual(["own", "pool"]);
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
  it("are said in words", () => {
    const said = (known: Partial<Segment>) =>
      writerText(operators, { first: 0, last: 0, writer: null, nOthers: 0, crosses: false, ...known });
    expect([said({ writer: 3 }), said({ writer: 3, crosses: true })]).toEqual(['Write "ab:"', 'Write "ab:", and on']);
    expect([said({ nOthers: 2 }), said({})]).toEqual(["one of 2", "not recorded"]);
  });
  it("passes over pending steps and those without bytes", () => {
    expect(segmentsOf(operators, [step(0, "", 0), step(1, "", 0, { kind: null })], true)).toEqual([]);
  });
});

describe("the share of tokens in which the model had no choice", () => {
  const kinds = ["jump_forward", "jump_forward", "forced_by_grammar", "sampled", "forced_by_user", null] as const;
  const steps = (model_ms: number | null) => kinds.map((kind, k) => step(k, "x", k, { kind, model_ms }));
  it("counts them, and the passes that were not needed", () => {
    expect(shareOf(steps(3))).toEqual({ n: 5, jumped: 2, forced: 1, savedMs: 6, modelMs: 15 });
    expect(shareOf(steps(null))).toEqual({ n: 5, jumped: 2, forced: 1, savedMs: null, modelMs: null });
  });
  it("says it in words", () => {
    expect(sayShare(shareOf(steps(3)))).toBe(
      "without a choice of the model: 3 of 5 tokens, 60 % (2 by jump-forward, 1 alone allowed); passes before tokens written by jump-forward: 6.00 ms of 15.0 ms, which a decoder that jumps saves",
    );
    expect(sayShare(shareOf(steps(null)))).not.toContain("ms");
    expect(sayShare(shareOf([]))).toBe("");
  });
});
