import { describe, expect, it } from "vitest";
import {
  findNode,
  isWhole,
  type StackRow,
  stackNodes,
  stackOf,
  stackRows,
} from "../src/views/chart_view/stacks/layout";
import type { StackTree } from "../src/wire";
import { program } from "./sample";

/** A straight stack of n frames and one top; state 4 is where each returns to. */
const deep = (n: number, first = 0): StackTree => ({
  n_stacks: 1,
  n_frames: n,
  tops: [{ state: 0, below: n === 0 ? null : first + n - 1 }],
  frames: Array.from({ length: n }, (_, k) => ({
    id: first + k,
    below: k === 0 ? null : first + k - 1,
    called: 0,
    state: 4,
    counts: null,
  })),
});
const NONE = new Set<string>();
const shape = ({ nodes, folds, depth, from }: StackRow) => [
  folds ?? nodes[0]?.called ?? "top",
  nodes.length,
  depth,
  from,
];
const rowsOf = (tree: StackTree, before: StackTree | null = null, opened = NONE, most = 100) =>
  stackRows(stackNodes(program, tree, before), opened, most);

describe("stackRows", () => {
  it("stands a straight stack on one line, the bottom first", () => {
    expect(rowsOf(deep(2)).rows.map(shape)).toEqual([
      [0, 1, 0, null],
      [0, 1, 0, 0],
      ["top", 1, 0, 1],
    ]);
  });
  it("folds the middle of a long run, and unfolds it", () => {
    const folded = rowsOf(deep(40)).rows;
    expect(folded.map((row) => row.nodes.length)).toEqual([1, 1, 34, 1, 1, 1, 1, 1]);
    const key = folded[2]?.key as string;
    expect(rowsOf(deep(40), null, new Set([key])).rows).toHaveLength(41);
  });
  it("moves branches to the right and counts many tops", () => {
    const tree = deep(1);
    tree.tops = Array.from({ length: 20 }, (_, k) => ({ state: k, below: 0 }));
    tree.frames.push({ id: 1, below: 0, called: 1, state: 4, counts: null });
    tree.tops.push({ state: 5, below: 1 });
    const rows = rowsOf(tree).rows;
    expect(rows.slice(5).map(shape)).toEqual([
      ["top", 1, 1, 0],
      ["stacks", 15, 1, 0],
      [1, 1, 1, 0],
      ["top", 1, 1, 7],
    ]);
  });
  it("counts what is past the limit and never loses a node", () => {
    for (const most of [1, 3, 7, 100]) {
      const { rows, nLeftOut } = rowsOf(deep(40), null, NONE, most);
      expect(rows.length).toBeLessThanOrEqual(most);
      expect(rows.reduce((n, row) => n + row.nodes.length, nLeftOut)).toBe(41);
    }
  });
  it("looks at each of fifty thousand stacks on deep frames a few times", () => {
    const tree = deep(2000);
    tree.tops = Array.from({ length: 50_000 }, (_, k) => ({ state: k % 7, below: k % 2000 }));
    tree.n_stacks = 50_000;
    const bottom = stackNodes(program, tree, null);
    const agenda = [...bottom];
    let nReads = 0;
    for (let node = agenda.pop(); node; node = agenda.pop()) {
      const { above } = node;
      agenda.push(...above);
      Object.defineProperty(node, "above", {
        get: () => {
          nReads++;
          return above;
        },
      });
    }
    const { rows, nLeftOut } = stackRows(bottom, NONE, 300);
    expect(rows).toHaveLength(300);
    expect(rows.reduce((n, row) => n + row.nodes.length, nLeftOut)).toBe(52_000);
    expect(nReads).toBeGreaterThan(0);
    expect(nReads).toBeLessThan(52_000);
  });
});

describe("stackNodes", () => {
  it("knows equal frames of two steps, whatever their ids", () => {
    const marks = (tree: StackTree, before: StackTree) =>
      rowsOf(tree, before).rows.map((row) => row.nodes[0]?.mark ?? "same");
    expect(marks(deep(2), deep(2, 70))).toEqual(["same", "same", "same"]);
    expect(marks(deep(3), deep(1, 70))).toEqual(["same", "new", "new", "same"]);
    expect(marks(deep(1), deep(3, 70))).toEqual(["same", "same", "gone", "gone"]);
  });
  it("compares nothing where something was left out", () => {
    const cut = { ...deep(3), n_frames: 9 };
    expect(isWhole(cut)).toBe(false);
    expect(
      stackNodes(program, deep(1), cut)
        .flatMap((node) => [node, ...node.above])
        .some((n) => n.mark),
    ).toBe(false);
  });
  it("stands frames on the bottom whose own frame was not listed, also if ids run in a circle", () => {
    const tree = deep(3);
    tree.frames = tree.frames.slice(1);
    expect(stackNodes(program, tree, null)).toHaveLength(1);
    const circle = deep(1);
    (circle.frames[0] as { below: number }).below = 0;
    expect(rowsOf(circle).rows).toHaveLength(2);
  });
  it("finds a state, the tops first, and the stack below it", () => {
    const bottom = stackNodes(program, deep(3), null);
    const top = findNode(bottom, (node) => node.state === 0);
    expect(top?.called).toBeNull();
    expect(stackOf(top).size).toBe(4);
    expect(findNode(bottom, (node) => node.state === 4)?.below).toBeNull();
    expect(findNode(bottom, (node) => node.state === 99)).toBeNull();
  });
});
