import { describe, expect, it } from "vitest";
import { applyPush, fromHex, NOTHING_SELECTED, ruleInFocus, stateName, stepAt } from "../src/trace";
import type { TracePush } from "../src/wire";
import { program, step, trace } from "./sample";

const push = (parts: Partial<TracePush>): TracePush => ({
  kind: "trace",
  seq: 1,
  keep_steps: 99,
  steps: [],
  keep_columns: 99,
  columns: [],
  keep_branches: 99,
  branches: [],
  notes: [],
  status: "idle",
  error: null,
  ...parts,
});

describe("a push", () => {
  it("replaces what changed and keeps the rest as it was", () => {
    const next = applyPush(
      trace,
      push({ keep_steps: 2, steps: [step(2, "5", 4), step(3, "", 5)], keep_columns: 5, columns: [[]] }),
    );
    expect(next?.steps.map((s) => s.text)).toEqual(["ab", ":4", "5", ""]);
    expect(next?.steps[0]).toBe(trace.steps[0]);
    expect(next?.chart.columns).toHaveLength(6);
    expect(next?.program).toBe(trace.program);
  });
  it("has one object for what explanations have in common, in a step and from step to step", () => {
    const waiting = () => [{ state: 1, origin: 0, before: [{ rule: 3 }] }];
    const explain = () =>
      ({ 1: { reason: "a", expected_by: waiting() }, 2: { reason: "[]", expected_by: waiting(), walk: [] } }) as never;
    const pushed = [step(2, "5", 4, { explain: explain() }), step(3, "", 5, { explain: explain() })];
    const [, , first, second] = applyPush(trace, push({ keep_steps: 2, steps: pushed }))?.steps ?? [];
    expect(second?.explain).toEqual(explain());
    expect(second?.explain[1]?.expected_by).toBe(second?.explain[2]?.expected_by);
    expect(second?.explain[1]?.expected_by).toBe(first?.explain[1]?.expected_by);
  });
  it("keeps explanations whole, however many different parts came before", () => {
    const explained = (n: number) => ({ 1: { expected_by: [{ state: n, before: `state ${n}` }] } }) as never;
    const pushed = Array.from({ length: 3000 }, (_, n) => step(n, "5", n, { explain: explained(n) }));
    const told = applyPush(null, push({ ...trace, reset: true, steps: pushed }))?.steps ?? [];
    expect(told.map((s) => s.explain)).toEqual(told.map((_, n) => explained(n)));
  });
  it("shortens the trace when steps were taken back", () => {
    const back = step(1, "", 2, { kind: null });
    const next = applyPush(
      trace,
      push({
        keep_steps: 1,
        steps: [back],
        keep_columns: 3,
        keep_branches: 0,
        branches: [{ at: 1, steps: [step(1, ":4", 2)] }],
      }),
    );
    expect(next?.steps).toHaveLength(2);
    expect(next?.chart.columns).toHaveLength(3);
    expect(next?.branches).toHaveLength(1);
  });
  it("starts again on reset, and is nothing without a program", () => {
    expect(
      applyPush(trace, push({ reset: true, keep_steps: 0, steps: [step(0, "", 0)], keep_columns: 0 }))?.steps,
    ).toHaveLength(1);
    expect(applyPush(null, push({}))).toBeNull();
  });
});

describe("the trace", () => {
  it("has the newest step under the cursor unless another is selected", () => {
    expect(stepAt(trace, NOTHING_SELECTED)?.index).toBe(2);
    expect(stepAt(trace, { ...NOTHING_SELECTED, step: 1 })?.index).toBe(1);
    expect(stepAt(trace, { ...NOTHING_SELECTED, step: 50 })?.index).toBe(2);
    expect(stepAt(null, NOTHING_SELECTED)).toBeNull();
  });
  it("shows the selected rule, else the selected state's, else the innermost live item's", () => {
    expect(ruleInFocus(trace, NOTHING_SELECTED)).toBe(1);
    expect(ruleInFocus(trace, { ...NOTHING_SELECTED, step: 0 })).toBe(0);
    expect(ruleInFocus(trace, { ...NOTHING_SELECTED, state: 2 })).toBe(0);
    expect(ruleInFocus(trace, { ...NOTHING_SELECTED, state: 2, rule: 1 })).toBe(1);
  });
  it("names a state by its rule and its number in it", () => {
    expect(stateName(program, 6)).toBe("num·1");
    expect(stateName(program, 99)).toBe("·99");
  });
  it("reads hexadecimal", () => expect(fromHex("0aff")).toEqual([10, 255]));
});
