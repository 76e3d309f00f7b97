// A rule's machine made drawable, and a layout of our own for it. Pure.
//
// IDEA  Chains of single bytes (literals) are folded into one box each, `"city":` instead of eight circles. The fold depends on the rule
//       alone, never on the cursor, so nothing moves while stepping; a live state inside a literal is shown as how far it is read.
//       What remains is laid out by Graphviz, or, without it, in layers by breadth-first distance from the start.
import type { Edge, Program, Rule, State } from "../wire";
import { groupBy, statesOfRule } from "../trace";

export interface StateNode {
  kind: "state";
  id: string;
  state: State;
}
/** Bytes read one after another; `states[k]` is the state after byte k + 1, the last of them being the node the box leads to. */
export interface LiteralNode {
  kind: "literal";
  id: string;
  bytes: number[];
  states: number[];
}
export type FsmNode = StateNode | LiteralNode;
export interface FsmEdge {
  from: string;
  to: string;
  label: string;
  edge: Edge | null;
}
export interface FsmGraph {
  rule: Rule;
  nodes: FsmNode[];
  edges: FsmEdge[];
  start: string;
}

const SHORTEST_LITERAL = 3;
const single = (edge: Edge): number | null => {
  const range = edge.ranges.length === 1 ? edge.ranges[0] : undefined;
  return edge.kind === "bytes" && range && range[0] === range[1] ? range[0] : null;
};

/** Inner states of a literal: entered by one byte, left by one byte, no end of the rule. */
function innerStates(states: readonly State[], outgoing: Map<number, Edge[]>, incoming: Map<number, Edge[]>, start: number): Set<number> {
  const inner = new Set<number>();
  for (const { id, accepting } of states) {
    const [out, into] = [outgoing.get(id) ?? [], incoming.get(id) ?? []];
    const [o, i] = [out[0], into[0]];
    if (accepting || id === start || out.length !== 1 || into.length !== 1 || !o || !i) continue;
    if (single(o) !== null && single(i) !== null && o.to !== id) inner.add(id);
  }
  return inner;
}

export function fsmGraph(program: Program, rule: Rule): FsmGraph {
  const states = statesOfRule(program, rule);
  const mine = program.edges.filter((e) => e.from >= rule.states[0] && e.from < rule.states[1]);
  const outgoing = groupBy(mine, (e) => e.from);
  const incoming = groupBy(mine, (e) => e.to);
  const inner = innerStates(states, outgoing, incoming, rule.start);
  const nodes: FsmNode[] = [];
  const edges: FsmEdge[] = [];
  const folded = new Set<number>();
  for (const edge of mine) {
    if (inner.has(edge.from) || !inner.has(edge.to)) continue;
    const chain = [edge];
    while (inner.has((chain.at(-1) as Edge).to)) chain.push((outgoing.get((chain.at(-1) as Edge).to) as Edge[])[0] as Edge);
    if (chain.length < SHORTEST_LITERAL) continue;
    const id = `l${edge.from}_${edge.to}`;
    nodes.push({ kind: "literal", id, bytes: chain.map((e) => single(e) as number), states: chain.map((e) => e.to) });
    for (const e of chain.slice(0, -1)) folded.add(e.to);
    edges.push({ from: `s${edge.from}`, to: id, label: "", edge: null });
    edges.push({ from: id, to: `s${(chain.at(-1) as Edge).to}`, label: "", edge: null });
  }
  for (const state of states) if (!folded.has(state.id)) nodes.push({ kind: "state", id: `s${state.id}`, state });
  for (const edge of mine) {
    if (folded.has(edge.from) || folded.has(edge.to)) continue;
    edges.push({ from: `s${edge.from}`, to: `s${edge.to}`, label: edge.label, edge });
  }
  return { rule, nodes, edges, start: `s${rule.start}` };
}

/** The part of a large machine within some steps of a node: what a reader can follow. */
export function neighbourhood(graph: FsmGraph, centre: string, most: number): FsmGraph {
  if (graph.nodes.length <= most) return graph;
  const kept = new Set([centre]);
  let ring = [centre];
  while (kept.size < most && ring.length > 0) {
    const next: string[] = [];
    for (const { from, to } of graph.edges) {
      const other = ring.includes(from) ? to : ring.includes(to) ? from : null;
      if (other !== null && !kept.has(other) && kept.size < most) {
        kept.add(other);
        next.push(other);
      }
    }
    ring = next;
  }
  return { ...graph, nodes: graph.nodes.filter((n) => kept.has(n.id)), edges: graph.edges.filter((e) => kept.has(e.from) && kept.has(e.to)) };
}

// ---- Sizes and positions --------------------------------------------------------------------------------------------------

export const RADIUS = 14;
export const LABEL_MOST = 26;
const MONO = 7.3;
export const shortLabel = (label: string): string => ([...label].length > LABEL_MOST ? `${[...label].slice(0, LABEL_MOST - 1).join("")}…` : label);

export const literalWidth = (node: LiteralNode): number => Math.ceil(Math.min(node.bytes.length, LITERAL_MOST) * MONO) + 18;
export const LITERAL_MOST = 24;
export const sizeOf = (node: FsmNode): { w: number; h: number } =>
  node.kind === "state" ? { w: 2 * RADIUS, h: 2 * RADIUS } : { w: literalWidth(node), h: 24 };

export interface Point {
  x: number;
  y: number;
}
export interface PlacedEdge {
  from: string;
  to: string;
  label: string;
  /** cubic Bézier: start, then triples */
  points: Point[];
  at: Point;
}
export interface FsmLayout {
  width: number;
  height: number;
  nodes: Record<string, Point>;
  edges: PlacedEdge[];
  by: "graphviz" | "layers";
}

const labelWidth = (label: string): number => [...shortLabel(label)].length * MONO;

/** Layers by distance from the start, in the order of the edges; loops above, edges back below. */
export function layerLayout(graph: FsmGraph): FsmLayout {
  const layer = new Map<string, number>([[graph.nodes.some((n) => n.id === graph.start) ? graph.start : (graph.nodes[0]?.id ?? ""), 0]]);
  const queue = [...layer.keys()];
  const next = groupBy(graph.edges, (e) => e.from);
  for (let k = 0; k < queue.length; k++) {
    const id = queue[k] as string;
    for (const { to } of next.get(id) ?? []) {
      if (!layer.has(to)) {
        layer.set(to, (layer.get(id) as number) + 1);
        queue.push(to);
      }
    }
  }
  for (const { id } of graph.nodes) if (!layer.has(id)) layer.set(id, 0);
  const columns: FsmNode[][] = [];
  for (const id of [...queue, ...graph.nodes.map((n) => n.id).filter((id) => !queue.includes(id))]) {
    const node = graph.nodes.find((n) => n.id === id);
    if (!node) continue;
    const c = layer.get(id) as number;
    columns[c] ??= [];
    columns[c].push(node);
  }
  const ROW = 64;
  const height = Math.max(...columns.map((c) => c.length), 1) * ROW + 72;
  const nodes: Record<string, Point> = {};
  let x = 24;
  columns.forEach((column, c) => {
    const w = Math.max(...column.map((n) => sizeOf(n).w));
    column.forEach((node, k) => {
      nodes[node.id] = { x: x + w / 2, y: height / 2 + (k - (column.length - 1) / 2) * ROW };
    });
    const out = graph.edges.filter((e) => layer.get(e.from) === c);
    x += w + Math.max(44, ...out.map((e) => labelWidth(e.label) + 28));
  });
  const edges = graph.edges.map((edge) => bend(graph, edge, nodes, layer));
  return { width: x, height, nodes, edges, by: "layers" };
}

function bend(graph: FsmGraph, edge: FsmEdge, nodes: Record<string, Point>, layer: Map<string, number>): PlacedEdge {
  const a = nodes[edge.from] as Point;
  const b = nodes[edge.to] as Point;
  const half = (id: string) => sizeOf(graph.nodes.find((n) => n.id === id) as FsmNode).w / 2;
  const base = { from: edge.from, to: edge.to, label: edge.label };
  if (edge.from === edge.to) {
    const y = a.y - RADIUS;
    return { ...base, points: [{ x: a.x - 8, y }, { x: a.x - 26, y: y - 36 }, { x: a.x + 26, y: y - 36 }, { x: a.x + 8, y: y - 1 }], at: { x: a.x, y: y - 32 } };
  }
  const hops = (layer.get(edge.to) as number) - (layer.get(edge.from) as number);
  if (hops === 1) {
    const [x0, x1] = [a.x + half(edge.from), b.x - half(edge.to) - 1];
    const mid = (x0 + x1) / 2;
    return { ...base, points: [{ x: x0, y: a.y }, { x: mid, y: a.y }, { x: mid, y: b.y }, { x: x1, y: b.y }], at: { x: mid, y: (a.y + b.y) / 2 - 7 } };
  }
  const lift = (hops > 0 ? -1 : 1) * (34 + 10 * Math.abs(hops));
  const y0 = lift < 0 ? -RADIUS : RADIUS;
  return {
    ...base,
    points: [{ x: a.x, y: a.y + y0 }, { x: a.x, y: a.y + y0 + lift }, { x: b.x, y: b.y + y0 + lift }, { x: b.x, y: b.y + y0 }],
    at: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 + y0 + lift * 0.75 },
  };
}
