import { describe, expect, it } from "vitest";
import {
  continuedBy,
  nodeAt,
  readAt,
  readingsOf,
  rowsFrom,
  tagsAt,
  tagsSaid,
  talliesOf,
  trieLayout,
  trieOf,
} from "../src/views/dispatch_view/layout";
import type { ChartItem, DispatchPlace, Program, Rule, State, Trace, WatchedText } from "../src/wire";
import { trace as sample, step } from "./sample";

const texts: WatchedText[] = [
  { text: "<ab>", kind: "trigger" },
  { text: "<ac>", kind: "trigger" },
  { text: "b>x", kind: "stop" },
];

describe("the automaton of a dispatch", () => {
  const trie = trieOf(texts);
  const at = (text: number, n_read: number) => nodeAt(trie, { mode: "dispatching", text, n_read });
  it("shares beginnings, and falls back to the longest end that begins a text", () => {
    expect(trie.nodes).toHaveLength(1 + 4 + 2 + 3);
    expect(at(0, 2)).toBe(at(1, 2));
    expect(at(0, 3)).not.toBe(at(1, 3));
    expect(trie.nodes[at(0, 3)]?.failure).toBe(at(2, 1));
    expect(trie.nodes[at(0, 4)]?.failure).toBe(at(2, 2));
    expect(trie.nodes[at(1, 3)]?.failure).toBe(0);
    expect(trie.nodes[at(0, 4)]?.text).toBe(0);
  });
  it("is drawn with depth to the right and no two nodes in one place, in a narrow box too", () => {
    for (const width of [368, 1200]) {
      const layout = trieLayout(trie, width);
      expect(layout).not.toBeNull();
      const places = layout?.nodes.map((node) => `${node.x} ${node.y}`) ?? [];
      expect(new Set(places).size).toBe(trie.nodes.length);
      for (const node of layout?.nodes ?? []) {
        expect(node.x).toBeLessThan(width);
        expect(node.y).toBeLessThan(layout?.height ?? 0);
        if (node.id > 0) expect(node.x).toBeGreaterThan(layout?.nodes[node.parent]?.x ?? 0);
      }
    }
  });
  it("is not drawn beyond sixty nodes, nor where a byte would have no room", () => {
    const many = Array.from(
      { length: 70 },
      (_, k): WatchedText => ({ text: String.fromCharCode(48 + k), kind: "trigger" }),
    );
    expect(trieLayout(trieOf(many), 1200)).toBeNull();
    expect(trieLayout(trieOf([{ text: "x".repeat(40), kind: "trigger" }]), 400)).toBeNull();
  });
});

describe("readings", () => {
  // states: 0..4 n bytes of "<ab>", 5 inside the rule it opens
  const place = (n: number): DispatchPlace => ({ mode: n === 4 ? "dispatched" : "dispatching", text: 0, n_read: n });
  const state = (id: number, rule: number): State => ({
    id,
    rule,
    accepting: false,
    scannable: true,
    before: "",
    after: "",
    spans: [],
    ...(rule === 0 ? { dispatch: place(id) } : {}),
  });
  const rule: Rule = {
    id: 0,
    name: "root",
    span: [0, 1],
    line: 1,
    start: 0,
    states: [0, 5],
    nullable: true,
    dispatch: { texts },
  };
  const program: Program = {
    rules: [rule, { ...rule, id: 1, name: "call", start: 5, states: [5, 6] }],
    states: [0, 1, 2, 3, 4].map((id) => state(id, 0)).concat(state(5, 1)),
    edges: [{ from: 4, to: 0, kind: "rule", label: "call", ranges: [], rule: 1, spans: [] }],
  };
  const column = (...states: number[]) => states.map((s): ChartItem => [s, 0, 0, -1, -1, -1, -1]);
  const trace: Trace = {
    ...sample,
    program,
    steps: [step(0, "x<<ab>1", 0)],
    chart: { columns: [column(0), column(0), column(1), column(1), column(2), column(3), column(4, 5), column(5)] },
  };
  it("name the byte that arms, breaks and fires, and both modes", () => {
    const readings = readingsOf(trace, rule);
    expect(readings.map((r) => r.event)).toEqual([null, null, "arms", "breaks", null, null, "fires", null]);
    expect(readings.map((r) => r.dispatching)).toEqual([true, true, true, true, true, true, false, false]);
    expect(readings.map((r) => r.dispatched)).toEqual([false, false, false, false, false, false, true, true]);
    expect(readings[3]?.byte).toBe(60);
  });
  it("are tallied by text: a text that shares the beginning is armed and broken with it", () => {
    const tallies = talliesOf(trieOf(texts), readingsOf(trace, rule));
    expect(tallies[0]).toEqual({ armed: 2, broken: 1, fired: 1, brokenBy: 2 });
    expect(tallies[1]).toEqual({ armed: 2, broken: 2, fired: 0, brokenBy: 4 });
    expect(tallies[2]).toEqual({ armed: 0, broken: 0, fired: 0, brokenBy: null });
  });
});

describe("the tags of a trigger", () => {
  const fired = (at: number, event: "fires" | null) => ({
    at,
    byte: 0,
    dispatching: false,
    dispatched: true,
    place: event ? ({ mode: "dispatched", text: 0, n_read: 1 } as const) : null,
    event,
  });
  const rule = { id: 0, dispatch: { texts: [{ text: "<", kind: "trigger" }] } } as unknown as Rule;
  const at = (read: string, begins: string[], others?: unknown[]) => {
    const steps = [step(0, read, 0)];
    const trace = { ...sample, steps, tags: [{ rule: 0, text: 0, begins, ...(others && { others }) }] } as Trace;
    const readings = [...read].map((_, k) => fired(k + 1, k === 0 ? "fires" : null));
    return tagsAt(trace, rule, [{ ...fired(0, null), dispatched: false }, ...readings], read.length);
  };
  it("are those that go on with what was read, with the trigger or without it in their text", () => {
    expect(at("<a", ["<ab>", "ac>", "b>"])).toMatchObject({
      all: ["<ab>", "<ac>", "<b>"],
      alive: [
        { tag: "<ab>", n_read: 2, n_bytes: 4 },
        { tag: "<ac>", n_read: 2, n_bytes: 4 },
      ],
      inside: null,
    });
  });
  it("without a name stay possible as long as their first byte fits", () => {
    const others = [
      ["[0-9]", [[48, 57]]],
      ["deep", []],
    ];
    expect(at("<", ["a"], others)?.others).toEqual(["[0-9]", "deep"]);
    expect(at("<7", ["a"], others)?.others).toEqual(["[0-9]", "deep"]);
    expect(at("<a", ["a"], others)?.others).toEqual(["deep"]);
  });
  it("are one once it was read to its end, unless another goes on", () => {
    expect(at("<ab>{", ["ab>", "ac>"])?.inside).toBe("<ab>");
    expect(at("<f", ["f", "f2"])).toMatchObject({ inside: null, alive: [{ tag: "<f" }, { tag: "<f2" }] });
    expect(at("<f2x", ["f", "f2"])?.inside).toBe("<f2");
  });
});

describe("tags without a literal beginning", () => {
  const tags = { trigger: "<f", all: ["<fa>", "<fb>"], alive: [], inside: null, others: [] };
  const alive = [{ tag: "<fa>", n_read: 2, n_bytes: 4 }];
  it("are told beside the named ones, and never left out", () => {
    expect(tagsSaid({ ...tags, alive })).toBe("<f was read, 1 of 2 tags are possible: <fa>");
    expect(tagsSaid({ ...tags, alive, others: ["[0-9]"] })).toBe(
      "<f was read, 1 of 2 named tags are possible: <fa>; so is one that begins with [0-9]",
    );
    expect(tagsSaid({ ...tags, others: ["[0-9]"] })).toBe(
      "<f was read, none of 2 named tags begins like this: it is one that begins with [0-9]",
    );
    expect(tagsSaid({ ...tags, all: [], others: ["[0-9]", "[a-z]"] })).toBe(
      "<f was read, a tag begins with [0-9], [a-z]",
    );
    expect(tagsSaid({ ...tags, inside: "<fa>", others: ["[a-z]"] })).toBe(
      "inside the tag <fa>, or inside one that begins with [a-z]",
    );
    expect(tagsSaid(tags)).toBe("<f was read, no tag begins like this");
  });
});

describe("the rows of a large automaton", () => {
  it("are the way to the current node and what can follow, bytes without a choice in one row, with a count of the rest", () => {
    const trie = trieOf(["<abc", "<abd", "<xyz"].map((text) => ({ text, kind: "trigger" })));
    const at = nodeAt(trie, { mode: "dispatching", text: 0, n_read: 1 });
    const texts = rowsFrom(trie, at, 9).rows.map(({ id }) => String.fromCharCode(...readAt(trie, id)));
    expect(texts).toEqual(["", "<", "<ab", "<xyz", "<abc", "<abd"]);
    expect(rowsFrom(trie, at, 3)).toMatchObject({ way: 2, left: 3 });
  });
});

describe("what continues a text", () => {
  const watched = (...last: string[]): WatchedText[] => last.map((c) => ({ text: `f${c}`, kind: "trigger" }));
  const continued = (texts: WatchedText[]) => {
    const trie = trieOf(texts);
    return continuedBy(trie, nodeAt(trie, { mode: "dispatching", text: 0, n_read: 1 }));
  };
  it("names every byte, ten digits as a range", () => {
    expect(continued(watched(..."9012345678"))).toBe("0–9");
    expect(continued(watched(..."ba", ..."xyz"))).toBe("a or b or x–z");
  });
  it("says how many it leaves out", () => {
    const apart = Array.from({ length: 20 }, (_, k) => String.fromCharCode(0x30 + 2 * k));
    expect(continued(watched(...apart))).toMatch(/^0, 2, .*, or one of 8 more bytes or ranges$/);
  });
});
