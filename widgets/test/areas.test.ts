// Where a view is shown: what Python asks, what the reader did last, and a host that comes late. And which copy of a package is taken.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Areas, areas, type Opening, offer, offersAreas } from "../src/areas";
import { type Drawer, Elsewhere } from "../src/elsewhere";
import { isNew } from "../src/kept";
import { offered } from "../src/lab/commands";
import { chosen, packageOf, type ShareScope } from "../src/lab/shared";

const storage = new Map<string, string>();
vi.stubGlobal("sessionStorage", {
  getItem: (name: string) => storage.get(name) ?? null,
  setItem: (name: string, value: string) => storage.set(name, value),
});
const settled = () => new Promise((go) => setTimeout(go));

/** A host that notes what it is asked for; a tab is a controller of the life that `draw` was given. */
class FakeHost {
  readonly asked: Opening[] = [];
  readonly tabs = new Map<string, AbortController>();
  open(opening: Opening): void {
    this.asked.push(opening);
    if (this.tabs.has(opening.view)) return;
    const life = new AbortController();
    this.tabs.set(opening.view, life);
    opening.draw({} as HTMLElement, life.signal);
  }
  close(view: string): void {
    this.tabs.get(view)?.abort();
    this.tabs.delete(view);
  }
}

let n = 0;
const drawer = (subject: object = {}): Drawer & { drawn: AbortSignal[] } => {
  const drawn: AbortSignal[] = [];
  return {
    cell: {} as HTMLElement,
    subject,
    named: Promise.resolve({ title: "Tape: a", key: "tape a" }),
    isLive: () => true,
    draw: (_box, life) => drawn.push(life),
    drawn,
  };
};
/** The view in a cell of a page that was just loaded. */
const loaded = (view: string) => new Elsewhere(view);

describe("Elsewhere", () => {
  let host: FakeHost;
  let view: string;
  beforeEach(() => {
    host = new FakeHost();
    areas().host = null;
    offersAreas(host);
    view = `view ${++n}`;
  });

  it("opens where Python asks, comes to front when it asks again, and goes back", async () => {
    const one = loaded(view);
    one.isIn(drawer(), { area: "tab", n: 1 });
    await settled();
    expect([one.area.value, host.asked.length, host.asked[0]?.title]).toEqual(["tab", 1, "Tape: a"]);
    one.asks({ area: "tab", n: 1 }); // the same request, told twice
    one.asks({ area: "tab", n: 2 });
    await settled();
    expect([host.asked.length, host.asked[1]?.inFront, host.tabs.size]).toEqual([2, true, 1]);
    one.close();
    expect(one.area.value).toBeNull();
  });

  it("moves between areas", async () => {
    const one = loaded(view);
    one.isIn(drawer(), { area: "tab", n: 1 });
    await settled();
    one.open("right");
    await settled();
    expect([one.area.value, host.tabs.size, host.asked.at(-1)?.area]).toEqual(["right", 1, "right"]);
  });

  it("is restored behind the notebook by a reload, and stays closed once it was closed", async () => {
    loaded(view).isIn(drawer(), { area: "tab", n: 1 });
    await settled();
    host = new FakeHost();
    areas().host = host;
    const again = loaded(view);
    again.isIn(drawer(), { area: "tab", n: 1 });
    await settled();
    expect([again.area.value, host.asked[0]?.inFront]).toEqual(["tab", false]);
    again.close();
    host = new FakeHost();
    areas().host = host;
    const third = loaded(view);
    third.isIn(drawer(), { area: "tab", n: 1 });
    await settled();
    expect([third.area.value, host.asked.length]).toEqual([null, 0]);
    third.asks({ area: "tab", n: 2 }); // a new request counts
    await settled();
    expect(third.area.value).toBe("tab");
  });

  it("draws another subject anew in the tab that is open", async () => {
    const one = loaded(view);
    const [first, second] = [drawer(), drawer()];
    one.isIn(first, { area: "tab", n: 1 });
    await settled();
    one.isIn(second, { area: "tab", n: 1 });
    expect([first.drawn.length, first.drawn[0]?.aborted, second.drawn.length]).toEqual([1, true, 1]);
    expect(host.asked.length).toBe(1);
  });

  it("waits for a host that comes late, and says meanwhile that there is none", async () => {
    areas().host = null;
    const one = loaded(view);
    one.isIn(drawer(), { area: "tab", n: 1 });
    await settled();
    expect([one.isRefused.value, one.area.value]).toEqual([true, null]);
    offersAreas(host);
    await settled();
    expect([one.isRefused.value, one.area.value]).toEqual([false, "tab"]);
  });

  it("ignores what another program keeps under its name", async () => {
    storage.set(`xg2lab/opened/${view}`, '{"area": "moon", "n": "x"}');
    const one = loaded(view);
    one.isIn(drawer(), null);
    await settled();
    expect(one.area.value).toBeNull();
    storage.set(`xg2lab/opened/${view}`, "{");
    expect(() => loaded(view).isIn(drawer(), null)).not.toThrow();
  });
});

describe("kept", () => {
  it("meets a request once", () => {
    expect([isNew("t", 0), isNew("t", 1), isNew("t", 1), isNew("t", 2)]).toEqual([false, true, false, true]);
  });
});

describe("offers", () => {
  const cell = (inside: readonly unknown[] = []) => ({ contains: (other: unknown) => inside.includes(other) });
  it("are there as long as their views, and the focus chooses before the workbench", () => {
    const known: Areas = areas();
    const heard = vi.fn();
    known.changed.add(heard);
    const life = new AbortController();
    const field = {};
    const [tape, bench, other] = [cell([field]), cell(), cell()];
    const notebook = cell([tape, bench]) as unknown as HTMLElement;
    for (const [box, panel] of [
      [tape, "tape"],
      [bench, "workbench"],
      [other, "workbench"],
    ] as const)
      offer({ cell: box as unknown as HTMLElement, panel, open: () => undefined }, life.signal);
    vi.stubGlobal("document", { activeElement: null });
    expect(offered(known.offers, notebook)?.cell).toBe(bench);
    vi.stubGlobal("document", { activeElement: field });
    expect(offered(known.offers, notebook)?.cell).toBe(tape);
    expect(offered(known.offers, null)).toBeNull();
    expect(heard).toHaveBeenCalledTimes(3);
    life.abort();
    expect(known.offers.size).toBe(0);
  });
});

describe("shared packages", () => {
  const of = (name: string, loaded?: true) => ({ get: async () => () => ({ name }), ...(loaded ? { loaded } : {}) });
  it("are taken in the version that the page runs, else in the newest", async () => {
    expect(chosen({})).toBeUndefined();
    const scope: ShareScope = {
      a: { "4.9.0": of("4.9.0"), "4.10.1": of("4.10.1"), "4.10.0": of("4.10.0") },
      b: { "2.0.0": of("2.0.0"), "1.0.0": of("1.0.0", true) },
    };
    expect(await packageOf(scope, "a")).toEqual({ name: "4.10.1" });
    expect(await packageOf(scope, "b")).toEqual({ name: "1.0.0" });
    expect(await packageOf(scope, "c")).toEqual({});
  });
});
