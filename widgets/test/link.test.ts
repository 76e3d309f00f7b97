// A session's line: pushes that come faster than the page draws.
import { effect } from "@preact/signals";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Link } from "../src/link";
import { page as shared } from "../src/page";
import { Channel } from "../src/rpc";
import type { SessionHandle } from "../src/runtime_api";
import type { Figures, Step, TracePush } from "../src/wire";
import { step, trace } from "./sample";

type Listener = (...values: unknown[]) => void;
class Model {
  readonly listeners = new Map<string, Listener>();
  readonly sent: { kind: string; id: string }[] = [];
  saved: DataView | null = null;
  seq = 0;
  get = (name: string) => (name === "seq" ? this.seq : name === "trace" ? this.saved : null);
  on = (name: string, listener: Listener) => void this.listeners.set(name, listener);
  off = () => undefined;
  send = (request: { kind: string; id: string }) => void this.sent.push(request);
}
const gzipped = async (value: unknown) => {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new DataView(await new Response(stream).arrayBuffer());
};

// Frames and the tasks behind them are run by hand, so no test waits for a time.
const frames: (() => void)[] = [];
const tasks: (() => void)[] = [];
class Ports {
  readonly port1: { onmessage: () => void } = { onmessage: () => undefined };
  readonly port2 = { postMessage: () => void tasks.push(() => this.port1.onmessage()) };
}
const page = { hidden: false };
beforeAll(() => {
  vi.stubGlobal("requestAnimationFrame", (work: () => void) => frames.push(work));
  vi.stubGlobal("MessageChannel", Ports);
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", new EventTarget());
});
afterAll(() => vi.unstubAllGlobals());

/** The frame is made, and then what waits for it is told, one task after the other. */
const painted = () => {
  for (const work of frames.splice(0)) work();
  for (let work = tasks.shift(); work; work = tasks.shift()) work();
};

function opened(model = new Model()) {
  const life = new AbortController();
  const link = new Link(
    { model, signal: life.signal } as unknown as SessionHandle,
    Channel.of(new Model() as never, life.signal),
  );
  const shown: (number | undefined)[] = [];
  effect(() => void shown.push(link.trace.value?.steps.length));
  const tell = (seq: number, parts: Partial<TracePush>) =>
    model.listeners.get("msg:custom")?.(
      { kind: "trace", seq, keep_steps: 9, keep_columns: 9, keep_branches: 9, columns: [], branches: [], notes: [], status: "running", error: null, steps: [], ...parts }, // biome-ignore format: one value
      [],
    );
  if (!model.saved) tell(0, { reset: true, header: trace.header, program: trace.program, steps: [step(0, "a", 0)] });
  return { link, shown, tell, model };
}

describe("pushes", () => {
  it("are shown at once when the page is free, and together when they come while it draws", () => {
    const { link, shown, tell } = opened();
    expect(shown).toEqual([undefined, 1]);
    for (let seq = 1; seq < 5; seq++) tell(seq, { steps: [step(seq, "a", seq)] });
    expect(shown).toEqual([undefined, 1]);
    painted();
    expect(shown).toEqual([undefined, 1, 5]);
    painted();
    tell(5, { steps: [step(5, "a", 5)], status: "idle" });
    expect(shown).toEqual([undefined, 1, 5, 6]);
    expect(link.status.value).toBe("idle");
  });
  it("are taken at once by a page that nobody looks at: it makes no frames", () => {
    const { shown, tell } = opened();
    page.hidden = true;
    tell(1, { steps: [step(1, "a", 1)] });
    page.hidden = false;
    expect(shown).toEqual([undefined, 1, 2]);
  });
});

describe("pushes of a run", () => {
  const drawn = (model: Model) =>
    model.sent.flatMap((request) => (request.kind === "shown" ? [(request as unknown as { seq: number }).seq] : []));
  it("are told to the kernel when they are drawn, once each", () => {
    const { link, model, tell } = opened();
    link.line.value = "live";
    painted();
    tell(1, { steps: [step(1, "a", 1)], run: [1, 9] });
    tell(2, { steps: [step(2, "a", 2)], run: [2, 9] });
    expect(drawn(model)).toEqual([]);
    painted();
    expect(drawn(model)).toEqual([1]);
    painted();
    expect(drawn(model)).toEqual([1, 2]);
    tell(3, { steps: [step(3, "a", 3)], run: [3, 9] });
    tell(4, { steps: [step(4, "a", 4)], run: [4, 9] });
    painted();
    expect(drawn(model)).toEqual([1, 2, 3]);
    painted();
    expect(drawn(model)).toEqual([1, 2, 3, 4]);
  });
  it("are the only ones that are told", () => {
    const { link, model, tell } = opened();
    link.line.value = "live";
    painted();
    tell(1, { steps: [step(1, "a", 1)], run: null });
    painted();
    painted();
    expect(drawn(model)).toEqual([]);
  });
});

const watches = (model: Model) =>
  model.sent.flatMap((request) => (request.kind === "watch" ? [pick(request as never)] : []));
const pick = ({ bulk, figures }: { bulk: boolean; figures: boolean }) => [bulk, figures];

describe("what a page watches", () => {
  it("is told when the first view of a kind comes into sight, and when the last one goes", () => {
    const { link, model } = opened();
    link.line.value = "live";
    const ends = [link.watch("bulk"), link.watch("bulk"), link.watch("figures")];
    expect(watches(model)).toEqual([
      [true, false],
      [true, true],
    ]);
    ends[0]?.();
    expect(watches(model)).toHaveLength(2);
    ends[1]?.();
    ends[2]?.();
    expect(watches(model).slice(2)).toEqual([
      [false, true],
      [false, false],
    ]);
  });
  it("is repeated while pushes come, since the kernel forgets closed pages; a page that watches nothing is silent", () => {
    const { link, model, tell } = opened();
    link.line.value = "live";
    const end = link.watch("bulk");
    page.hidden = true; // each push is taken at once
    for (let seq = 1; seq <= 300; seq++) tell(seq, {});
    expect(watches(model)).toEqual(Array(3).fill([true, false]));
    end();
    for (let seq = 301; seq <= 600; seq++) tell(seq, {});
    page.hidden = false;
    expect(watches(model).slice(3)).toEqual([[false, false]]);
  });
  it("is nothing while the page is left, and the same again when the reader comes back to it", () => {
    const { link, model } = opened();
    link.line.value = "live";
    link.watch("bulk");
    for (const type of ["pagehide", "pageshow"]) window.dispatchEvent(new Event(type));
    expect(watches(model)).toEqual([
      [true, false],
      [false, false],
      [true, false],
    ]);
  });
  it("is told again to a kernel that did not take it, and a mask is asked for without watching", async () => {
    const { link, model, tell } = opened();
    link.line.value = "live";
    link.needBulk(0);
    expect(watches(model)).toEqual([]);
    link.watch("bulk");
    const asked = model.sent.find(({ kind }) => kind === "watch");
    model.listeners.get("msg:custom")?.({ re: asked?.id, error: { type: "E", message: "", hint: "" } }, []);
    await Promise.resolve();
    await Promise.resolve();
    page.hidden = true;
    tell(1, {});
    page.hidden = false;
    expect(watches(model)).toHaveLength(2);
  });
});

describe("figures of the whole trace", () => {
  const figures = { share: "all" } as Figures;
  it("come at once and stay until others come or the trace begins again", async () => {
    const { link, tell, model } = opened();
    link.watch("figures");
    expect(watches(model)).toEqual([]); // no kernel is known yet
    link.line.value = "live";
    link.watch("figures");
    link.watch("figures");
    const asked = model.sent.filter(({ kind }) => kind === "watch");
    expect(asked).toHaveLength(1);
    model.listeners.get("msg:custom")?.({ re: asked[0]?.id, figures }, []);
    await Promise.resolve();
    expect(link.trace.value?.figures).toEqual(figures);
    tell(1, { steps: [step(1, "a", 1)] });
    painted();
    painted();
    expect(link.trace.value?.figures).toEqual(figures);
    tell(2, { figures: { share: "half" } as Figures }); // the last push of a run has no step
    painted();
    painted();
    expect(link.trace.value?.figures?.share).toBe("half");
    tell(3, { reset: true, header: trace.header, program: trace.program, steps: [step(0, "a", 0)] });
    painted();
    painted();
    expect(link.trace.value?.figures).toBeUndefined();
  });
});

it("reads a replay as far as its tokens are those that are shown", async () => {
  const { link, tell, model } = opened();
  expect(await link.replayUntil(0)).toBeNull();
  model.saved = await gzipped({ ...trace, steps: [step(0, "a", 0), step(1, "b", 1)] });
  tell(1, { steps: [step(1, "x", 1, { token_id: 7 }), step(2, "y", 2)] });
  painted();
  expect((await link.replayUntil(1))?.steps).toHaveLength(2);
  expect(await link.replayUntil(2)).toBeNull();
});

describe("a whole trace", () => {
  const of = (...steps: Step[]) => ({ ...trace, steps });
  const state = { status: "idle", error: null };
  /** What the page asked for last, once it has asked. */
  const asked = (model: Model, kind: string) =>
    vi.waitUntil(() => model.sent.findLast((request) => request.kind === kind)?.id);
  const answer = (model: Model, re: string, content: object, ...buffers: DataView[]) =>
    model.listeners.get("msg:custom")?.({ re, ...content }, buffers);

  it("that was saved has the number it was saved with: a newer one that comes while it is unpacked is asked for", async () => {
    const model = new Model();
    model.saved = await gzipped(of(step(0, "a", 0)));
    const { link } = opened(model);
    model.seq = 1; // the kernel saves again, before the page has unpacked what there was
    answer(model, await asked(model, "hello"), { session_id: "s", state: { ...state, seq: 1 }, vocabulary_key: "" });
    const newer = await gzipped(of(step(0, "a", 0), step(1, "b", 1)));
    answer(model, await asked(model, "trace"), { state: { ...state, seq: 1 } }, newer);
    await vi.waitUntil(() => link.trace.value?.steps.length === 2);
  });

  it("does not replace what is pushed while it is unpacked", async () => {
    const { link, tell, model } = opened();
    answer(model, await asked(model, "hello"), { session_id: "s", state: { ...state, seq: 2 }, vocabulary_key: "" });
    const whole = await gzipped(of(step(0, "a", 0), step(1, "b", 1)));
    const id = await asked(model, "trace");
    tell(1, {});
    tell(2, { steps: [step(1, "b", 1)] });
    painted();
    painted();
    answer(model, id, { state: { ...state, seq: 2 } }, whole);
    await Promise.resolve();
    tell(3, { steps: [step(2, "c", 2)] });
    painted();
    painted();
    await vi.waitUntil(() => link.trace.value?.steps.length === 3);
    await new Promise((then) => setTimeout(then)); // the whole trace has been unpacked, if it was not before
    expect(link.trace.value?.steps).toHaveLength(3);
  });
});

it("is live again when a kernel that was busy answers late, or tells something", async () => {
  const { link, tell, model } = opened();
  const greeted = () => model.sent.filter(({ kind }) => kind === "hello");
  await vi.waitUntil(() => greeted().length === 1);
  const busy = async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const asked = link.hello();
      await vi.advanceTimersByTimeAsync(5000);
      await asked;
    } finally {
      vi.useRealTimers();
    }
    expect(link.line.value).toBe("offline");
  };
  const answered = async (id: string | undefined) => {
    const state = { status: "idle", error: null, seq: 0 };
    model.listeners.get("msg:custom")?.({ re: id, session_id: "s", state, vocabulary_key: "" }, []);
  };
  await answered(greeted()[0]?.id);
  await vi.waitUntil(() => link.line.value === "live");
  await busy();
  const n = greeted().length;
  await answered(greeted().at(-1)?.id); // the reply that came too late: it is asked again
  await answered("another page:1"); // no business of this page
  expect(greeted()).toHaveLength(n + 1);
  await answered(greeted().at(-1)?.id);
  await vi.waitUntil(() => link.line.value === "live");
  await busy();
  tell(1, {});
  tell(2, {});
  expect(greeted()).toHaveLength(n + 3); // one of `busy`, one for both pushes
  await answered(greeted().at(-1)?.id);
  await vi.waitUntil(() => link.line.value === "live");
});

it("asks again for what it missed if the kernel was too busy to answer", async () => {
  shared().vocabularies.set("", Promise.resolve(null as never));
  const { link, tell, model } = opened();
  const asked = (kind: string) => model.sent.filter((one) => one.kind === kind);
  const answer = (id: string | undefined, seq: number) => {
    const state = { status: "idle", error: null, seq };
    model.listeners.get("msg:custom")?.({ re: id, session_id: "s", state, vocabulary_key: "" }, []);
  };
  await vi.waitUntil(() => asked("hello").length === 1);
  answer(asked("hello")[0]?.id, 0);
  await vi.waitUntil(() => link.line.value === "live");
  await new Promise((then) => setTimeout(then)); // what was saved is unpacked
  painted();
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  tell(5, {});
  await vi.advanceTimersByTimeAsync(20_000);
  vi.useRealTimers();
  expect(asked("trace")).toHaveLength(1);
  expect(link.line.value).toBe("offline");
  answer(asked("trace")[0]?.id, 5); // too late: nobody waits for it
  expect(asked("hello")).toHaveLength(2);
  answer(asked("hello")[1]?.id, 5);
  await vi.waitUntil(() => asked("trace").length === 2);
  expect(link.line.value).toBe("live");
});
