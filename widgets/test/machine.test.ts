import { describe, expect, it } from "vitest";
import { findStates } from "../src/views/fsm_view/layout/find";
import { edgeLabels, fsmGraph, labelHeights, neighbourhood, type PlacedEdge } from "../src/views/fsm_view/layout/fsm";
import { fromPlain, layoutKey, packLayout, toDot, unpackLayout } from "../src/views/fsm_view/layout/graphviz";
import { layerLayout } from "../src/views/fsm_view/layout/layers";
import type { Edge, Program, Rule } from "../src/wire";
import { program } from "./sample";

describe("states that a query means", () => {
  const [root, num] = program.rules as [Rule, Rule];
  it.each([
    ["1", [1], "a number is a state's"],
    ["·4", [4], "also as it is written"],
    ["ab", [2, 0, 3, 4], "a text leads from the start; then items that have it"],
    ["num", [4, 0, 1, 2, 3], "the end of an edge that says so, then items"],
    ["", [], "nothing"],
    ["zz", [], "what is not there"],
  ])("%j: %j, %s", (query, found) => expect(findStates(program, root, query)).toEqual(found));
  it("are those of the rule alone", () => {
    expect(findStates(program, num, "42")).toEqual([6]);
    expect(findStates(program, num, "ab")).toEqual([]);
    expect(findStates(program, num, "0")).toEqual([5, 6]);
  });
});

describe("labels of edges", () => {
  const edge = (label: string, from: number, to: number, ...ranges: [number, number][]): Edge => ({
    from,
    to,
    kind: "bytes",
    label,
    ranges,
    rule: null,
    spans: [],
  });
  it("are bytes where the edges of one class read different ones", () => {
    const edges = [
      edge('[^"]', 0, 0, [0x20, 0x21], [0x23, 0x7f]),
      edge('[^"]', 0, 1, [0xc2, 0xdf]),
      edge('[^"]', 1, 0, [0x80, 0xbf]),
      edge("[0-9]", 0, 2, [0x30, 0x39]),
      edge("[0-9]", 2, 2, [0x30, 0x39]),
    ];
    expect([...edgeLabels(edges).values()]).toEqual(["·–! #–7F", "C2–DF", "80–BF", "[0-9]", "[0-9]"]);
    expect([...edgeLabels(edges.slice(0, 1)).values()]).toEqual(['[^"]']);
  });
  it("stand free of each other, above or below, in a crowd too", () => {
    const point = { x: 100, y: 50 };
    const crowd = Array.from(
      { length: 12 },
      (_, k): PlacedEdge => ({ from: "a", to: `b${k}`, label: "[^abc]", points: [], at: point }),
    );
    const heights = labelHeights(crowd).toSorted((a, b) => a - b);
    for (const [k, y] of heights.slice(1).entries()) expect(y - (heights[k] as number)).toBeGreaterThanOrEqual(14);
    expect(heights[0]).toBeLessThan(50);
    expect(heights.at(-1)).toBeGreaterThan(50);
  });
});

describe("a machine", () => {
  const graph = fsmGraph(program, program.rules[0] as Rule);
  it("folds a literal into one box that knows its inner states", () => {
    expect(graph.nodes.map((n) => n.id).sort()).toEqual(["l0_1", "s0", "s3", "s4"]);
    const literal = graph.nodes.find((n) => n.kind === "literal");
    expect(literal).toMatchObject({ bytes: [97, 98, 58], states: [1, 2, 3] });
    expect(graph.edges.map((e) => [e.from, e.to])).toEqual([
      ["s0", "l0_1"],
      ["l0_1", "s3"],
      ["s3", "s4"],
    ]);
  });
  it("does not fold loops, ends or short literals", () => {
    expect(fsmGraph(program, program.rules[1] as Rule).nodes.map((n) => n.id)).toEqual(["s5", "s6"]);
  });
  it("folds the tails of long code points into one node", () => {
    const tail = (from: number, to: number, lo: number, hi: number): Edge => ({
      from,
      to,
      kind: "bytes",
      label: "[é]",
      ranges: [[lo, hi]],
      rule: null,
      spans: [],
    });
    const utf8: Program = {
      rules: [{ ...(program.rules[0] as Rule), start: 0, states: [0, 4] }],
      states: program.states.slice(0, 4),
      edges: [
        tail(0, 3, 0x61, 0x7a),
        tail(0, 1, 0xc3, 0xc3),
        tail(1, 3, 0x80, 0xbf),
        tail(0, 2, 0xe0, 0xef),
        tail(2, 1, 0x80, 0xbf),
      ],
    };
    const folded = fsmGraph(utf8, utf8.rules[0] as Rule);
    expect(folded.nodes.find((n) => n.kind === "group")).toMatchObject({
      states: [1, 2],
      caption: "code points of 2–3 bytes",
    });
    expect(folded.edges.map((e) => [e.from, e.to])).toEqual([
      ["s0", "g1"],
      ["g1", "s3"],
      ["s0", "s3"],
    ]);
  });
  it("is laid out in layers from left to right", () => {
    const layout = layerLayout(graph);
    const x = (id: string) => layout.nodes[id]?.x as number;
    expect(x("s0")).toBeLessThan(x("l0_1"));
    expect(x("l0_1")).toBeLessThan(x("s3"));
    expect(layout.edges).toHaveLength(3);
    expect(layerLayout(fsmGraph(program, program.rules[1] as Rule)).edges.every((e) => e.points.length === 4)).toBe(
      true,
    );
  });
  it("moves a label that would cover another to the nearest free line", () => {
    const edge = (label: string, x: number, y: number): PlacedEdge => ({
      from: "a",
      to: "b",
      label,
      points: [],
      at: { x, y },
    });
    expect(
      labelHeights([edge("long label", 50, 40), edge("other", 60, 44), edge("far", 300, 40), edge("", 50, 40)]),
    ).toEqual([40, 58, 40, 40]);
  });
  it("shows the neighbourhood of a large one", () => {
    const near = neighbourhood(graph, "s0", 2);
    expect(near.nodes.map((n) => n.id).sort()).toEqual(["l0_1", "s0"]);
    expect(near.edges).toHaveLength(1);
  });
  it("goes to Graphviz and comes back in pixels, y downwards", () => {
    const dot = toDot(graph);
    expect(dot).toContain('s3 -> s4 [label=" num "]');
    const plain =
      'graph 1 2 1\nnode entry 0.1 0.5 0.1 0.1 "" solid point black black\nnode s0 0.5 0.25 0.4 0.4 "" solid circle black lightgrey\nedge entry s0 4 0.1 0.5 0.2 0.5 0.3 0.5 0.4 0.5 solid black\nedge s3 s4 4 0 0 0.5 0 1 0 1.5 1 " num " 0.75 0.5 solid black\nstop\n';
    const layout = fromPlain(plain, graph);
    expect(layout).toMatchObject({ width: 144, height: 72, nodes: { s0: { x: 36, y: 54 } } });
    expect(layout.edges).toEqual([
      {
        from: "s3",
        to: "s4",
        label: "num",
        points: [
          { x: 0, y: 72 },
          { x: 36, y: 72 },
          { x: 72, y: 72 },
          { x: 108, y: 0 },
        ],
        at: { x: 54, y: 36 },
      },
    ]);
  });
  it("is kept to the pixel, in a third of the room, and comes back", () => {
    const layout: ReturnType<typeof fromPlain> = {
      width: 800.94,
      height: 309,
      nodes: { s0: { x: 47.6, y: 228.4 }, s1: { x: 135, y: 1 } },
      edges: [
        {
          from: "s0",
          to: "s1",
          label: '["x"]',
          points: [
            { x: 62.1, y: 228.4 },
            { x: 76, y: 2 },
          ],
          at: { x: 1.2, y: 3 },
        },
      ],
      by: "graphviz",
    };
    const text = packLayout(layout);
    const round = (_: string, value: unknown) => (typeof value === "number" ? Math.round(value) : value);
    expect(unpackLayout(text)).toEqual(JSON.parse(JSON.stringify(layout, round)));
    expect(text).not.toContain('"x":');
    expect(unpackLayout(JSON.stringify(layout))).toEqual(layout); // as notebooks of earlier versions have it
  });
  it("has a key of its own", () =>
    expect(layoutKey(graph)).not.toBe(layoutKey(fsmGraph(program, program.rules[1] as Rule))));
});
