// A store as a view reads it while the view is out of sight: nothing of it moves, and then all of it at once.
import { computed, effect, Signal, signal } from "@preact/signals";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { gated } from "../src/parts/gate";
import { Channel } from "../src/rpc";
import type { SessionHandle } from "../src/runtime_api";
import { Store } from "../src/store";

class Model {
  get = () => null;
  on = () => undefined;
  off = () => undefined;
  send = () => undefined;
}
beforeAll(() => {
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", { body: { dataset: {}, classList: { contains: () => false } }, hidden: false });
  vi.stubGlobal(
    "MutationObserver",
    class {
      observe = () => undefined;
    },
  );
});
afterAll(() => vi.unstubAllGlobals());

const opened = () => {
  const life = new AbortController();
  const channel = Channel.of(new Model() as never, life.signal);
  return { life, store: new Store({ model: new Model(), signal: life.signal } as unknown as SessionHandle, channel) };
};

/** Every signal that can be reached by a field of the store, or of an object that the store holds, by its path. */
function signalsOf(store: Store): Map<string, Signal> {
  const found = new Map<string, Signal>();
  for (const [name, value] of Object.entries(store)) {
    if (value instanceof Signal) found.set(name, value);
    else if (value instanceof Object)
      for (const [inner, held] of Object.entries(value))
        if (held instanceof Signal) found.set(`${name}.${inner}`, held);
  }
  return found;
}
const at = (own: object, path: string): Signal =>
  path.split(".").reduce((whole: unknown, key) => (whole as Record<string, unknown>)[key], own) as Signal;

describe("a gated store", () => {
  it("replaces every signal of the store, of its link and of its history", () => {
    const { store, life } = opened();
    const { own } = gated(store);
    const all = signalsOf(store);
    for (const path of ["selection", "preview", "helpOpen", "link.trace", "link.line", "history.canGoBack"])
      expect([...all.keys()]).toContain(path);
    for (const [path, original] of all) expect(at(own, path), path).not.toBe(original);
    life.abort();
  });

  it("shows nothing of a change until it catches up, and then all of it in one batch", () => {
    const whole = { left: signal(1), held: { right: signal(1) } };
    const gate = gated({ ...whole, sum: computed(() => whole.left.value + whole.held.right.value) });
    const seen: number[][] = [];
    effect(() => void seen.push([gate.own.left.value, gate.own.held.right.value, gate.own.sum.value]));
    whole.left.value = 2;
    whole.held.right.value = 2;
    expect(seen).toEqual([[1, 1, 2]]);
    gate.catchUp();
    expect(seen).toEqual([
      [1, 1, 2],
      [2, 2, 4],
    ]);
  });

  it("writes to the store what the view sets, and then shows the view all of the store", () => {
    const whole = { chosen: signal(0), step: signal(0) };
    const { own } = gated(whole);
    whole.step.value = 7;
    own.chosen.value = 3;
    expect(whole.chosen.value).toBe(3);
    expect([own.chosen.value, own.step.value]).toEqual([3, 7]);
  });

  it("has getters that read what the view shows, and methods that act on what is true", () => {
    const { store, life } = opened();
    const { own, catchUp } = gated(store);
    store.link.status.value = "running";
    expect([store.isRunning, own.isRunning]).toEqual([true, false]);
    const gone = own.showsArguments();
    expect([store.argumentPads.value, own.argumentPads.value]).toEqual([1, 0]);
    catchUp();
    expect([own.isRunning, own.argumentPads.value]).toEqual([true, 1]);
    gone();
    expect(store.argumentPads.value).toBe(0);
    life.abort();
  });

  it("can be asked for everything that the store has: no getter needs a private field", () => {
    const { store, life } = opened();
    const { own } = gated(store);
    const names = Object.getOwnPropertyNames(Store.prototype).filter((name) => name !== "constructor");
    expect(names).toContain("past");
    for (const name of names) expect(() => Reflect.get(own, name), name).not.toThrow();
    life.abort();
  });

  it("runs an effect again for any signal of the store", () => {
    const { store, life } = opened();
    const { touch } = gated(store);
    let runs = 0;
    effect(() => {
      touch();
      runs++;
    });
    store.solo.value = 2;
    store.link.run.value = [1, 2];
    store.helpOpen.value = true;
    expect(runs).toBe(4);
    life.abort();
  });
});
