import { describe, expect, it } from "vitest";
import type { FsmNode } from "../src/views/fsm_view/layout/fsm";
import {
  areOf,
  counts,
  earlyRules,
  isSame,
  markAfter,
  markBefore,
  said,
  shortName,
  standIns,
} from "../src/views/fsm_view/stages/layout";
import type { DrawnProgram, Edge, Program, StageMarks, State, WireStage } from "../src/wire";

const program = (n: number, edges: [number, number, string][], name = "word"): DrawnProgram & Program =>
  ({
    root: 0,
    rules: [{ id: 0, name, states: [0, n], start: 0 }],
    states: Array.from({ length: n }, (_, id) => ({ id, rule: 0, accepting: id === n - 1 })),
    edges: edges.map(([from, to, label]) => ({ from, to, label, kind: "bytes", ranges: [], rule: null })),
  }) as unknown as DrawnProgram & Program;
const stage = (machine: DrawnProgram | null, marks: StageMarks | null = null): WireStage => ({
  name: "minimize",
  machine,
  rules: ["word", "digit"],
  marks,
  note: "",
});
const state = (id: number): FsmNode => ({ kind: "state", id: `s${id}`, state: { id } as State });
const literal = (...states: number[]): FsmNode => ({ kind: "literal", id: "l", bytes: states.map(() => 97), states });
const MARKS: StageMarks = {
  stands_for: [[0], [1, 3], [], [], []],
  within: { "2": ["digit"], "3": ["a_long_name_of_a_rule"] },
  gone: [2],
};

describe("what a pass did to a machine", () => {
  it("marks states that are new, and those that stand for several", () => {
    expect(markAfter(state(0), MARKS)).toBeNull();
    expect(markAfter(state(1), MARKS)).toEqual({ kind: "joined", text: "=1,3" });
    expect(markAfter(state(2), MARKS)).toEqual({ kind: "new", text: "+digit" });
    expect(markAfter(state(3), MARKS)?.text).toMatch(/^\+a_long.*…/);
    expect(markAfter(state(4), MARKS)).toEqual({ kind: "new", text: "+" });
    const many = { ...MARKS, stands_for: [[0, 1, 2, 3]] };
    expect(markAfter(state(0), many)?.text).toBe("=4 states");
  });
  it("folded states have a mark if all are alike; the last state of a literal is the next node's", () => {
    expect(markAfter(literal(2, 2, 0), MARKS)?.kind).toBe("new");
    expect(markAfter(literal(2, 0, 0), MARKS)).toBeNull();
    expect(markAfter(literal(1, 0), MARKS)).toEqual({ kind: "joined", text: "joined" });
  });
  it("marks states that are gone, and those that are split into several", () => {
    const now = standIns({ ...MARKS, stands_for: [[0], [1, 3], [3]] }, 4);
    expect(now).toEqual([[0], [1], [], [1, 2]]);
    expect([0, 1, 2, 3].map((k) => markBefore(state(k), now))).toEqual([
      null,
      null,
      { kind: "gone", text: "gone" },
      { kind: "split", text: "→1,2" },
    ]);
  });
  it("says it in a sentence", () => {
    const [a, b] = [program(4, [[0, 1, "x"]]), program(3, [[0, 1, "x"]])];
    expect(said(stage(a), stage(a, MARKS))).toBe("Nothing changed here.");
    expect(said(stage(a), stage(b, { stands_for: [[0], [1, 3], []], within: {}, gone: [2] }))).toBe(
      "1 state new, 1 state gone, 1 merged from several.",
    );
    expect(said(stage(a), stage(b))).toMatch(/too large/);
    expect(said(null, stage(b))).toBe("");
    expect(counts(b)).toBe("3 states, 1 edge");
    expect(isSame(a, b)).toBe(false);
    expect(shortName("inline_fragments")).toBe("inline");
  });
  it("kept stages are those of the machine that runs, or they are not taken", () => {
    const edges: [number, number, string][] = [[0, 1, "x"]];
    const running = program(2, edges);
    expect(areOf([stage(program(2, edges))], running, "word")).toBe(true);
    expect(areOf([stage(program(2, [[0, 1, "y"]]))], running, "word")).toBe(false);
    expect(areOf([stage(program(3, edges))], running, "word")).toBe(false);
    expect(areOf([stage(null)], running, "word")).toBe(false);
    expect(areOf([stage(program(2, edges)), stage(null)], running, "digit")).toBe(true);
    expect(areOf([], running, "digit")).toBe(false);
    const later = {
      ...running,
      rules: [{ ...running.rules[0], states: [5, 7] }],
      edges: [{ from: 5, to: 6, label: "x" } as Edge],
    };
    expect(areOf([stage(program(2, edges))], later as Program, "word")).toBe(true);
    expect(earlyRules([stage(running)], running.rules)).toEqual(["digit"]);
  });
});
