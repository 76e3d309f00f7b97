// The page says when it has settled, and a command that comes before the kernel's first word is kept.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { page } from "../src/page";
import { Channel } from "../src/rpc";
import type { SessionHandle } from "../src/runtime_api";
import { begin, settled, shows } from "../src/settled";
import { Store } from "../src/store";
import type { Vocabulary } from "../src/vocabulary";
import type { SessionRequests } from "../src/wire";

type Message = Record<string, unknown> & { kind: string; id: string };
type Listener = (...values: unknown[]) => void;
/** A model whose kernel answers when the test says so. */
class Model {
  readonly listeners = new Map<string, Listener>();
  readonly sent: Message[] = [];
  get = (name: string) => (name === "seq" ? 0 : null);
  set = () => undefined;
  on = (name: string, listener: Listener) => void this.listeners.set(name, listener);
  off = () => undefined;
  send = (message: Message) => void this.sent.push(message);
  get kinds() {
    return this.sent.map((message) => message.kind);
  }
  answer(kind: string, content: object) {
    const at = this.sent.findIndex((message) => message.kind === kind);
    const [asked] = this.sent.splice(at, 1);
    this.listeners.get("msg:custom")?.({ re: asked?.id, ...content }, []);
  }
}

// Frames and the tasks behind them are run by hand.
const frames: (() => void)[] = [];
const tasks: (() => void)[] = [];
class Ports {
  readonly port1: { onmessage: () => void } = { onmessage: () => undefined };
  readonly port2 = { postMessage: () => void tasks.push(() => this.port1.onmessage()) };
}
beforeAll(() => {
  vi.stubGlobal("requestAnimationFrame", (work: () => void) => frames.push(work));
  vi.stubGlobal("MessageChannel", Ports);
  vi.stubGlobal("document", { hidden: false });
  vi.stubGlobal("window", new EventTarget());
});
afterAll(() => vi.unstubAllGlobals());
beforeEach(() => void frames.splice(0));

/** Promises that are ready have told those who wait. */
const turn = () => new Promise((resolve) => setTimeout(resolve));
/** Some frames, each painted. */
async function painted(n: number) {
  for (; n > 0; n--) {
    for (const work of frames.splice(0)) work();
    for (let work = tasks.shift(); work; work = tasks.shift()) work();
    await turn();
  }
}

describe("settled", () => {
  it("waits for what has begun, and for two frames after it", async () => {
    const end = begin("a layout");
    let isOver = false;
    const over = settled().then(() => {
      isOver = true;
    });
    await painted(9);
    expect(isOver).toBe(false);
    end();
    end(); // a second time says nothing new
    await painted(3);
    expect(isOver).toBe(false); // the kernels were asked, of which there are none, and two frames follow
    await painted(1);
    await over;
  });
  it("names what is under way when it waits no longer", async () => {
    const end = begin("a layout");
    const late = expect(settled({ limitMs: -1 })).rejects.toThrow("has not settled: a layout");
    await painted(1);
    await late;
    end();
  });
});

describe("a session on the page", () => {
  it("is asked for its news while a view shows it, and no longer", async () => {
    const [model, runtime, life, view] = [new Model(), new Model(), new AbortController(), new AbortController()];
    const handle = { model, signal: life.signal } as unknown as SessionHandle;
    page().vocabularies.set("known", Promise.resolve({} as Vocabulary));
    Store.of(handle, Channel.of(runtime as never, life.signal));
    await turn();
    model.answer("hello", { ...HELLO, vocabulary_key: "known" });
    await turn();
    shows(model, view.signal);
    const asked = settled({ limitMs: -1 });
    await painted(3);
    expect(model.kinds).toEqual(["settle"]);
    model.answer("settle", { seq: -1, is_busy: false });
    await painted(3);
    await asked;
    view.abort(); // its notebook was closed: JupyterLab ends the kernel and tells the model nothing
    const over = settled({ limitMs: -1 });
    await painted(4);
    await over;
    expect(model.kinds).toEqual([]);
    life.abort();
  });
});

const STATE = { seq: -1, status: "idle", error: null };
const HELLO = { state: STATE, vocabulary_key: "none", session_id: "s" };

describe("a command before the kernel's first word", () => {
  async function opened() {
    const [model, runtime, life] = [new Model(), new Model(), new AbortController()];
    const handle = { model, signal: life.signal } as unknown as SessionHandle;
    const store = Store.of(handle, Channel.of(runtime as never, life.signal));
    await turn();
    expect(model.kinds).toEqual(["hello"]);
    return { model, store, life };
  }
  it("is sent once the kernel answers, and in its order", async () => {
    const { model, store, life } = await opened();
    store.forward();
    store.backward();
    expect(model.kinds).toEqual(["hello"]);
    model.answer("hello", HELLO);
    await turn();
    expect(model.kinds.filter((kind) => kind !== "vocabulary")).toEqual(["step", "back"]);
    life.abort();
  });
  it("is possible in a session that failed: its error is no refusal of the page's request", async () => {
    const { model, store, life } = await opened();
    const error = { type: "SessionError", message: "a step failed", hint: "back()" };
    model.answer("hello", { ...HELLO, state: { ...STATE, status: "error", error } });
    await turn();
    expect(store.canCommand.value).toBe(true);
    expect(store.link.error.value).toEqual(error);
    life.abort();
  });
  it("is refused once no kernel answers", async () => {
    const { model, store, life } = await opened();
    store.command("step", { n: 1 });
    expect(store.commandError.value).toBeNull();
    model.answer("hello", { error: { type: "Error", message: "gone" } });
    await turn();
    expect(model.kinds).toEqual([]);
    expect(store.commandError.value?.message).toContain("no kernel answers");
    life.abort();
  });
  it("is nothing that the page waits for once the session has ended", async () => {
    const { model, store, life } = await opened();
    model.answer("hello", HELLO);
    await turn();
    const sent = model.sent.splice(0).length;
    store.select({ step: 1 });
    life.abort(); // before the selection is told
    const channel = Channel.of<SessionRequests>(model as never, life.signal);
    await expect(channel.call("set", { key: "selection", value: {} })).rejects.toThrow("closed");
    expect(sent + model.sent.length).toBe(sent);
    const over = settled({ limitMs: -1 });
    await painted(4);
    await over;
  });
});
