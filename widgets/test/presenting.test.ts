// Presenter mode: what a class sees before the presenter reveals it.
import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { cutAt, PRESENTED, questionOf, withTrace, zoomFor } from "../src/frame/presenting";
import { FrameState } from "../src/frame/state";
import type { Store } from "../src/store";
import { defineView } from "../src/view";
import type { Trace } from "../src/wire";
import { trace } from "./sample";

const at = 1;
const views = [...PRESENTED, "fsm_view", "cost_table"].map((name) =>
  defineView({ name, title: name, component: () => null }),
);
/** As much of a store as the covers read. */
const storeAt = (step: number, subject: unknown = null, of: Trace = trace) =>
  ({
    link: { trace: signal(of) },
    step: signal(of.steps[step]),
    subject: signal(subject),
  }) as unknown as Store;
const presenter = (lesson: string[] | null = null) => {
  const frame = new FrameState(views, { arrangement: null, height: 720, lesson }, signal(true));
  frame.size.value = { w: 960, h: 600 };
  return frame;
};

describe("the trace that a class sees", () => {
  it("ends at the cursor, before the token that was taken there", () => {
    const cut = cutAt(trace, at, true);
    expect(cut.steps.slice(0, at)).toEqual(trace.steps.slice(0, at));
    expect(cut.steps).toHaveLength(at + 1);
    const [shown, real] = [cut.steps[at], trace.steps[at]];
    expect([shown?.kind, shown?.token_id, shown?.text, shown?.bytes]).toEqual([null, null, "", ""]);
    expect(shown?.top).toEqual(real?.top);
    expect(cut.chart.columns).toHaveLength((real?.byte_begin ?? 0) + 1);
    expect(JSON.stringify(cut)).not.toContain(JSON.stringify(trace.steps.at(-1)));
  });
  it("has no branches: a run that was taken back tells what comes", () => {
    const taken = { ...trace, branches: [{ at: 0, steps: trace.steps }] };
    expect(cutAt(taken, at, true).branches).toEqual([]);
  });
  it("has no figures of the step until they are revealed", () => {
    const step = cutAt(trace, at, false).steps[at];
    expect([step?.n_allowed, step?.z, step?.kl, step?.cache, step?.top]).toEqual([null, null, null, null, []]);
  });
  it("is the trace itself where there is no such step", () => {
    expect(cutAt(trace, trace.steps.length, false)).toBe(trace);
  });
});

describe("covers", () => {
  it("hide answers, and nothing else", () => {
    const frame = presenter([...PRESENTED, "cost_table"]);
    const covered = views.map(({ name }) => name).filter((name) => frame.isCovered(name, storeAt(at)));
    expect(covered).toEqual(["tape", "mask_lens", "why_card", "fsm_view"]);
  });
  it("are lifted one after the other in the order of the panes, and laid again", () => {
    const frame = presenter();
    const store = storeAt(at);
    expect(frame.coveredNow(store)).toEqual(["tape", "mask_lens", "why_card"]);
    expect(frame.uncover(store)).toBe(true);
    expect(frame.coveredNow(store)).toEqual(["mask_lens", "why_card"]);
    expect([frame.uncover(store, "why_card"), frame.uncover(store), frame.uncover(store)]).toEqual([true, true, false]);
    frame.cover(store);
    expect(frame.coveredNow(store)).toEqual(["tape", "mask_lens", "why_card"]);
  });
  it("come anew with each step, and stay lifted where the text is the same", () => {
    const frame = presenter();
    frame.uncover(storeAt(at), "mask_lens");
    expect(frame.isCovered("mask_lens", storeAt(at + 1))).toBe(true);
    expect(frame.isCovered("mask_lens", storeAt(at))).toBe(false);
    const [first, ...others] = trace.steps;
    const other = { ...trace, steps: [{ ...first, token_id: 99_999 }, ...others] } as Trace;
    expect(frame.isCovered("mask_lens", storeAt(at, null, other))).toBe(true);
  });
  it("come anew with each token that Why is asked about", () => {
    const frame = presenter();
    frame.uncover(storeAt(at, { token: 1 }), "why_card");
    expect(frame.isCovered("why_card", storeAt(at, { token: 1 }))).toBe(false);
    expect(frame.isCovered("why_card", storeAt(at, { token: 2 }))).toBe(true);
    expect(questionOf("mask_lens", trace, at, { token: 1 })).toBe(questionOf("mask_lens", trace, at, { token: 2 }));
  });
  it("are there for a presenter alone", () => {
    const on = signal(false);
    const frame = new FrameState(views, null, on);
    frame.size.value = { w: 960, h: 600 };
    const store = storeAt(at);
    expect([frame.isLesson, frame.coveredNow(store), frame.shownTrace(store)]).toEqual([false, [], trace]);
    on.value = true;
    expect([frame.isLesson, frame.coveredNow(store).length]).toEqual([true, 3]);
    expect(frame.shownTrace(store)?.steps).toHaveLength(at + 1);
  });
});

describe("a store with another trace", () => {
  it("is the same store in all else, private fields included", () => {
    class Own {
      #count = 0;
      readonly link = { trace: signal<Trace | null>(trace), line: signal("live") };
      add(): number {
        this.#count++;
        return this.#count;
      }
    }
    const own = new Own();
    const cut = signal(cutAt(trace, 0, false));
    const shown = withTrace(own as unknown as Store, cut);
    expect(shown.link.trace.value?.steps).toHaveLength(1);
    expect(shown.link.line.value).toBe("live");
    expect((shown as unknown as Own).add() + own.add()).toBe(3);
    expect(own.link.trace.value).toBe(trace);
  });
});

it("type is at least one and a half times as large, and grows with the screen", () => {
  expect([700, 1440, 1920, 2560, 9999].map(zoomFor)).toEqual([1.5, 1.5, 1.5, 2, 3]);
});
