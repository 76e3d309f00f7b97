// Where the continuations of a beam stand, from left to right, and how wide their branches are. Pure.
//
// IDEA  A level is a column. A continuation without a next one takes a row; any other stands beside the middle of its next ones, in the
//       order of the record. A branch is as wide as the probability that flows through it: of an allowed one, outside what the mask draws,
//       inside what the model alone gave it; of a blocked one, what the model alone gave it.
import type { WireBeam } from "../../wire";

export interface BeamNode {
  index: number;
  parent: number;
  level: number;
  token: number;
  text: string;
  p: number;
  mass: number;
  q: number | null;
  drawn: number | null;
  allowed: boolean;
  ends: boolean;
  z: number | null;
  x: number;
  y: number;
}
export interface PlacedBeam {
  nodes: BeamNode[];
  root: { x: number; y: number };
  step: number;
  height: number;
}

export const ROW = 28;
export const ROOT_WIDTH = 112;
const MOST_STROKE = 22;
const LEAST_STROKE = 1;

/** The width of a branch through which this much probability flows. */
export const strokeOf = (mass: number): number => Math.max(LEAST_STROKE, MOST_STROKE * Math.min(1, mass));

export function placeBeam({ nodes: rows, depth }: WireBeam, width: number): PlacedBeam {
  const nodes = rows.map(([parent, token, text, p, mass, q, drawn, allowed, ends, z], index): BeamNode => {
    return { index, parent, level: 0, token, text, p, mass, q, drawn, allowed, ends, z, x: 0, y: 0 };
  });
  const next = new Map<number, BeamNode[]>();
  for (const node of nodes) {
    node.level = node.parent < 0 ? 0 : (nodes[node.parent] as BeamNode).level + 1;
    next.set(node.parent, [...(next.get(node.parent) ?? []), node]);
  }
  const step = Math.max(96, (width - ROOT_WIDTH) / Math.max(1, depth));
  let rowsUsed = 0;
  const place = (node: BeamNode): number => {
    node.x = ROOT_WIDTH + node.level * step;
    const ys = (next.get(node.index) ?? []).map(place);
    node.y = ys.length > 0 ? ((ys[0] as number) + (ys.at(-1) as number)) / 2 : ROW / 2 + ROW * rowsUsed++;
    return node.y;
  };
  const ys = (next.get(-1) ?? []).map(place);
  const y = ys.length > 0 ? ((ys[0] as number) + (ys.at(-1) as number)) / 2 : ROW / 2;
  return { nodes, root: { x: 0, y }, step, height: Math.max(ROW, ROW * rowsUsed) };
}

/** The continuation up to a node: its tokens in order. */
export function pathTo(nodes: readonly BeamNode[], index: number): BeamNode[] {
  const out: BeamNode[] = [];
  for (let node = nodes[index]; node; node = nodes[node.parent]) out.unshift(node);
  return out;
}

/** The node that an arrow key leads to. */
export function besideBeam(nodes: readonly BeamNode[], from: BeamNode, key: string): BeamNode {
  const level = nodes.filter((node) => node.level === from.level).sort((a, b) => a.y - b.y);
  const at = level.indexOf(from);
  const to = {
    ArrowLeft: nodes[from.parent],
    ArrowRight: nodes.find((node) => node.parent === from.index),
    ArrowUp: level[at - 1],
    ArrowDown: level[at + 1],
    Home: nodes[0],
    End: nodes.at(-1),
  }[key];
  return to ?? from;
}
