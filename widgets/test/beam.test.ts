import { describe, expect, it } from "vitest";
import { besideBeam, pathTo, placeBeam, strokeOf } from "../src/views/beam_view/layout";
import type { WireBeam } from "../src/wire";

const row = (parent: number, text: string, mass: number, drawn: number | null) =>
  [parent, 7, text, mass, mass, drawn, drawn, drawn !== null, false, null] as WireBeam["nodes"][number];
const beam: WireBeam = {
  step: 3,
  depth: 2,
  width: 2,
  z: 0.4,
  nodes: [
    row(-1, "a", 0.3, 0.75),
    row(-1, "b", 0.1, 0.25),
    row(-1, "c", 0.6, null),
    row(0, "aa", 0.2, 0.5),
    row(0, "ab", 0.1, 0.25),
    row(2, "ca", 0.4, null),
  ],
};

describe("a tree of continuations", () => {
  const { nodes, root, height } = placeBeam(beam, 800);
  it("has a column for each level and a row for each end, and no two nodes of a column share a place", () => {
    expect(nodes.map((node) => node.level)).toEqual([0, 0, 0, 1, 1, 1]);
    const ends = nodes.filter((node) => !nodes.some((other) => other.parent === node.index));
    expect(height).toBe(28 * ends.length);
    for (const a of nodes)
      for (const b of nodes) if (a !== b && a.level === b.level) expect(Math.abs(a.y - b.y)).toBeGreaterThan(20);
    expect(nodes[0]?.y).toBe(((nodes[3]?.y ?? 0) + (nodes[4]?.y ?? 0)) / 2);
    expect(root.y).toBeGreaterThan(0);
  });
  it("has branches as wide as what flows through them, and none that can't be seen", () => {
    expect(strokeOf(1)).toBe(22);
    expect(strokeOf(0.5)).toBe(11);
    expect(strokeOf(1e-9)).toBe(1);
  });
  it("says the way to a node", () => {
    expect(pathTo(nodes, 5).map((node) => node.text)).toEqual(["c", "ca"]);
  });
  it("is walked by arrows", () => {
    const at = (index: number) => nodes[index] as (typeof nodes)[number];
    expect(besideBeam(nodes, at(0), "ArrowRight")).toBe(at(3));
    expect(besideBeam(nodes, at(4), "ArrowLeft")).toBe(at(0));
    expect(besideBeam(nodes, at(0), "ArrowDown")).toBe(at(1));
    expect(besideBeam(nodes, at(0), "ArrowUp")).toBe(at(0));
    expect(besideBeam(nodes, at(0), "End")).toBe(at(5));
  });
});
