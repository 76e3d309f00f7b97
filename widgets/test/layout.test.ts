import { describe, expect, it } from "vitest";
import { bulkOf, decodeProb, isAllowed } from "../src/bulk";
import { fsmGraph, labelHeights, neighbourhood, type PlacedEdge } from "../src/layout/fsm";
import { findStates } from "../src/layout/fsm_find";
import { layerLayout } from "../src/layout/fsm_layers";
import { fromPlain, layoutKey, toDot } from "../src/layout/graphviz";
import { bands, cellOf, gridFor, rankAt, rove, tokensOfClass } from "../src/layout/mask";
import { sourceLines, stateAtOffset } from "../src/layout/source";
import { columnWidth, GUTTER, logHeight, overviewBins, tapeText, tapeWindow } from "../src/layout/tape";
import { Vocabulary } from "../src/vocabulary";
import type { Edge, Program, Rule } from "../src/wire";
import { program, SOURCE, step } from "./sample";

describe("the tape", () => {
  const steps = Array.from({ length: 40 }, (_, k) => step(k, "word", 4 * k));
  it("fills the width round the cursor, and shows it always", () => {
    for (const cursor of [0, 7, 20, 39]) {
      const view = tapeWindow(steps, 600, cursor);
      expect(view.from).toBeLessThanOrEqual(cursor);
      expect(view.to).toBeGreaterThan(cursor);
      expect(view.end - GUTTER).toBeLessThanOrEqual(600);
      expect(view.end - GUTTER + columnWidth(steps[0] as never)).toBeGreaterThan(600);
    }
  });
  it("joins columns without gaps", () => {
    const { columns } = tapeWindow(steps, 600, 20);
    for (let k = 1; k < columns.length; k++)
      expect(columns[k]?.x).toBe((columns[k - 1]?.x as number) + (columns[k - 1]?.width as number));
  });
  it("is empty without steps, and shows one even where there is no room", () => {
    expect(tapeWindow([], 600, 0).columns).toEqual([]);
    expect(tapeWindow(steps, 1, 3).columns.map((c) => c.index)).toEqual([3]);
  });
  it("cuts the middle of a long token and marks the pending step", () => {
    expect(tapeText(step(0, "x".repeat(60), 0))).toMatch(/^x+…x{5}$/);
    expect(tapeText(step(0, "", 0, { kind: null }))).toBe("?");
  });
  it("keeps the worst of the steps that share a bin", () => {
    const bins = overviewBins(
      steps.map((s) => ({ ...s, z: s.index === 33 ? 0.1 : 1 })),
      40,
    );
    expect(bins).toHaveLength(20);
    expect(Math.max(...bins.map((b) => b.lost))).toBeCloseTo(0.9);
  });
  it("has one log scale for times", () =>
    expect([logHeight(1, 43), logHeight(100, 43), logHeight(1e9, 43)]).toEqual([1.5, 20, 43]));
});

describe("the mask's grid", () => {
  it.each([1, 7, 2048, 32_000, 151_936, 262_144, 300_000])(
    "holds %i tokens in 512 px, and points go back to tokens",
    (n) => {
      const grid = gridFor(n, 512);
      expect(grid.columns * grid.cell).toBeLessThanOrEqual(512);
      expect(grid.rows * grid.cell).toBeLessThanOrEqual(512);
      for (const rank of [0, n >> 1, n - 1]) {
        const { x, y } = cellOf(grid, rank);
        expect(rankAt(grid, x, y)).toBe(rank - (rank % grid.pooled));
      }
    },
  );
  it("gives one pixel a token at 262,144, larger cells to small vocabularies, shares pixels beyond", () => {
    expect(gridFor(262_144, 512)).toMatchObject({ cell: 1, columns: 512, rows: 512, pooled: 1 });
    expect(gridFor(2048, 512).cell).toBe(11);
    expect(gridFor(262_144, 384).pooled).toBe(2);
  });
  it("knows no token outside", () => {
    const grid = gridFor(10, 512);
    expect(rankAt(grid, -1, 0)).toBeNull();
    expect(rankAt(grid, 511, 511)).toBeNull();
  });
  it("moves the roving cell and stops at the ends", () => {
    const grid = gridFor(2048, 512);
    expect(rove(grid, 5, "ArrowRight")).toBe(6);
    expect(rove(grid, 5, "ArrowDown")).toBe(5 + grid.columns);
    expect(rove(grid, 0, "ArrowLeft")).toBe(0);
    expect(rove(grid, 3, "End")).toBe(2047);
    expect(rove(grid, 3, "a")).toBeNull();
  });
  it("labels bands by first byte where there is room", () => {
    const n = 2000;
    const blob = Uint8Array.from({ length: n }, (_, k) => (k < 1000 ? 0x41 : 0xc3));
    const vocabulary = new Vocabulary(
      blob,
      Uint32Array.from({ length: n + 1 }, (_, k) => k),
      Uint32Array.from({ length: n }, (_, k) => k),
    );
    expect(bands(vocabulary, gridFor(n, 512)).map((b) => b.label)).toEqual(["A", "C3"]);
  });
  it("lists a class by probability", () => {
    const bulk = bulkOf(Uint8Array.from([1, 3, 3, 0]), Uint8Array.from([9, 1, 200, 255]), null);
    expect(tokensOfClass(bulk, [3], 5)).toEqual([2, 1]);
    expect(tokensOfClass(bulk, [0, 1, 3], 2)).toEqual([3, 2]);
    expect(tokensOfClass(bulk, [5], 2)).toEqual([]);
    expect(bulk.counts).toEqual([1, 1, 0, 2, 0, 0, 0, 0]);
    expect([0, 1, 2, 3, 4, 5, 6, 7].filter(isAllowed)).toEqual([1, 2, 5]);
    expect([255, 227, 0].map(decodeProb).map((p) => Number(p.toPrecision(3)))).toEqual([1, 0.103, 0]);
  });
});

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
  it("lifts a label that would cover another", () => {
    const edge = (label: string, x: number, y: number): PlacedEdge => ({
      from: "a",
      to: "b",
      label,
      points: [],
      at: { x, y },
    });
    expect(
      labelHeights([edge("long label", 50, 40), edge("other", 60, 44), edge("far", 300, 40), edge("", 50, 40)]),
    ).toEqual([40, 26, 40, 40]);
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
  it("has a key of its own", () =>
    expect(layoutKey(graph)).not.toBe(layoutKey(fsmGraph(program, program.rules[1] as Rule))));
});

describe("the source", () => {
  it("is cut into lines and runs without losing a character", () => {
    const lines = sourceLines(SOURCE, program, [[15, 18]]);
    expect(lines.map((l) => l.runs.map((r) => r.text).join(""))).toEqual(SOURCE.trimEnd().split("\n"));
    expect(lines[0]?.runs.filter((r) => r.marked).map((r) => r.text)).toEqual(["num"]);
    expect(lines.map((l) => l.runs.find((r) => r.rule)?.rule?.name)).toEqual(["root", "num"]);
  });
  it("tells where the parse stands from what is selected", () => {
    const [line] = sourceLines(SOURCE, program, [], [[9, 14]]);
    expect(line?.runs.filter((r) => r.live).map((r) => r.text)).toEqual(['"ab:"']);
    expect(line?.marked).toBe(false);
  });
  it("finds the state at a place", () => {
    expect(stateAtOffset(program, 16)?.id).toBe(3);
    expect(stateAtOffset(program, 7)).toBeNull();
  });
});
