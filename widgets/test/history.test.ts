// Selections gone back to and forward again.
import { describe, expect, it } from "vitest";
import { SelectionHistory } from "../src/history";
import { NOTHING_SELECTED } from "../src/trace";

const at = (step: number | null, token: number | null = null) => ({ ...NOTHING_SELECTED, step, token });

describe("the history of selections", () => {
  it("goes back, forward, and forgets what was gone back from", () => {
    const history = new SelectionHistory();
    for (const token of [1, 2, 3]) history.note(at(null, token), 5, 0);
    expect(history.canGoForward.value).toBe(false);
    expect(history.go(-1, 5)?.token).toBe(2);
    expect(history.go(-1, 5)?.token).toBe(1);
    expect(history.go(-1, 5)).toBeNull();
    expect([history.canGoBack.value, history.canGoForward.value]).toEqual([false, true]);
    expect(history.go(1, 5)?.token).toBe(2);
    history.note(at(null, 9), 5, 0);
    expect(history.go(1, 5)).toBeNull();
    expect(history.go(-1, 5)?.token).toBe(2);
  });
  it("takes what was selected at the newest step for the step it was", () => {
    const history = new SelectionHistory();
    history.note(at(null, 7), 3, 0);
    history.note(at(null, 8), 6, 0);
    expect(history.go(-1, 6)).toEqual(at(3, 7));
    expect(history.go(1, 6)).toEqual(at(null, 8));
  });
  it("passes over steps that were taken back", () => {
    const history = new SelectionHistory();
    for (const [step, token] of [
      [1, 1],
      [8, 2],
      [2, 3],
    ] as const)
      history.note(at(step, token), 9, 0);
    expect(history.go(-1, 4)?.token).toBe(1);
  });
  it("notes nothing twice, and a scrub once", () => {
    const history = new SelectionHistory();
    history.note(at(0, 5), 50, 0);
    history.note(at(0, 5), 50, 10);
    for (let step = 1; step <= 20; step++) history.note(at(step), 50, 1000 + 16 * step);
    history.note(at(30), 50, 5000);
    expect(history.go(-1, 50)).toEqual(at(20));
    expect(history.go(-1, 50)).toEqual(at(0, 5));
    expect(history.go(-1, 50)).toBeNull();
  });
  it("is bounded", () => {
    const history = new SelectionHistory();
    for (let token = 0; token < 1000; token++) history.note(at(0, token), 0, 0);
    let n = 0;
    while (history.go(-1, 0)) n++;
    expect(n).toBe(99);
  });
});
