// A rule's machine made drawable, and a layout of our own for it. Pure.
//
// IDEA  Chains of single bytes (literals) are folded into one box each, `"city":` instead of eight circles, and the states between the
//       bytes of one code point into one pill. The fold depends on the rule alone, never on the cursor, so nothing moves while
//       stepping; a live state inside a literal is shown as how far it is read.
//       What remains is laid out by Graphviz, or, without it, in layers by breadth-first distance from the start (fsm_layers.ts).

import { byteText, cut } from "../../../text";
import { groupBy, statesOfRule } from "../../../trace";
import type { DrawnEdge, DrawnProgram, DrawnRule, DrawnState } from "../../../wire";

export interface StateNode {
  kind: "state";
  id: string;
  state: DrawnState;
}
/** Bytes read one after another; `states[k]` is the state after byte k + 1, the last of them being the node the box leads to. */
export interface LiteralNode {
  kind: "literal";
  id: string;
  bytes: number[];
  states: number[];
}
/** States between the bytes of code points. */
export interface GroupNode {
  kind: "group";
  id: string;
  states: number[];
  caption: string;
}
export type FsmNode = StateNode | LiteralNode | GroupNode;
export interface FsmEdge {
  from: string;
  to: string;
  label: string;
  edge: DrawnEdge | null;
}
export interface FsmGraph {
  rule: DrawnRule;
  nodes: FsmNode[];
  edges: FsmEdge[];
  start: string;
  /** where the rule is entered: of a rule as written, at each alternative */
  starts: readonly string[];
}

const SHORTEST_LITERAL = 3;
const single = (edge: DrawnEdge): number | null => {
  const range = edge.ranges.length === 1 ? edge.ranges[0] : undefined;
  return edge.kind === "bytes" && range && range[0] === range[1] ? range[0] : null;
};

/** Inner states of a literal: entered by one byte, left by one byte, no end of the rule. */
function innerStates(
  states: readonly DrawnState[],
  outgoing: Map<number, DrawnEdge[]>,
  incoming: Map<number, DrawnEdge[]>,
  start: number,
): Set<number> {
  const inner = new Set<number>();
  for (const { id, accepting } of states) {
    const [out, into] = [outgoing.get(id) ?? [], incoming.get(id) ?? []];
    const [o, i] = [out[0], into[0]];
    if (accepting || id === start || out.length !== 1 || into.length !== 1 || !o || !i) continue;
    if (single(o) !== null && single(i) !== null && o.to !== id) inner.add(id);
  }
  return inner;
}

const within = (edge: DrawnEdge, lo: number, hi: number): boolean =>
  edge.kind === "bytes" && edge.ranges.every(([a, b]) => lo <= a && b <= hi);
/** Bytes of the code point that a lead byte opens. */
const lengthOf = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);

/** Tails of code points: states entered by bytes from 80 on and left by continuation bytes alone, joined where they touch. */
function tails(
  states: readonly DrawnState[],
  edges: readonly DrawnEdge[],
  outgoing: Map<number, DrawnEdge[]>,
  incoming: Map<number, DrawnEdge[]>,
  start: number,
): GroupNode[] {
  const isTail = ({ id, accepting }: DrawnState) =>
    !accepting &&
    id !== start &&
    (outgoing.get(id) ?? []).every((e) => within(e, 0x80, 0xbf)) &&
    (incoming.get(id) ?? []).every((e) => within(e, 0x80, 0xff)) &&
    (outgoing.get(id)?.length ?? 0) > 0;
  const home = new Map(states.filter(isTail).map((s) => [s.id, s.id]));
  const find = (id: number): number => (home.get(id) === id ? id : find(home.get(id) as number));
  for (const { from, to } of edges)
    if (home.has(from) && home.has(to)) home.set(Math.max(find(from), find(to)), Math.min(find(from), find(to)));
  const groups: GroupNode[] = [];
  for (const [root, members] of groupBy([...home.keys()], find)) {
    const into = edges.filter((e) => members.includes(e.to) && !members.includes(e.from));
    const out = edges.filter((e) => members.includes(e.from) && !members.includes(e.to));
    if (members.length < 2 || new Set(into.map((e) => e.from)).size !== 1 || new Set(out.map((e) => e.to)).size !== 1)
      continue;
    const lengths = into.flatMap((e) => e.ranges.flat()).map(lengthOf);
    const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
    groups.push({
      kind: "group",
      id: `g${root}`,
      states: members,
      caption: `code points of ${least === most ? most : `${least}–${most}`} bytes`,
    });
  }
  return groups;
}

const byteRange = ([lo, hi]: readonly [number, number]): string =>
  lo === hi ? byteText(lo) : `${byteText(lo)}–${byteText(hi)}`;
/**
 * The label of each edge. A class that several edges share is no label: before minimization a class of code points is some fifty edges,
 * each of which reads other bytes. Such an edge is labelled by its bytes.
 */
export function edgeLabels(edges: readonly DrawnEdge[]): Map<DrawnEdge, string> {
  const read = (edge: DrawnEdge) => edge.ranges.map(byteRange).join(" ");
  const shared = groupBy(
    edges.filter((edge) => edge.kind === "bytes"),
    (edge) => edge.label,
  );
  return new Map(
    edges.map((edge) => {
      const alike = edge.kind === "bytes" ? (shared.get(edge.label) ?? []) : [];
      return [edge, new Set(alike.map(read)).size > 1 ? read(edge) : edge.label];
    }),
  );
}

export function fsmGraph(program: DrawnProgram, rule: DrawnRule): FsmGraph {
  const states = statesOfRule(program, rule);
  const mine = program.edges.filter((e) => e.from >= rule.states[0] && e.from < rule.states[1]);
  const labels = edgeLabels(mine);
  const outgoing = groupBy(mine, (e) => e.from);
  const incoming = groupBy(mine, (e) => e.to);
  const inner = innerStates(states, outgoing, incoming, rule.start);
  const nodes: FsmNode[] = [];
  const edges: FsmEdge[] = [];
  const folded = new Set<number>();
  for (const group of tails(states, mine, outgoing, incoming, rule.start)) {
    const inside = (id: number) => group.states.includes(id);
    nodes.push(group);
    for (const id of group.states) folded.add(id);
    edges.push({
      from: `s${mine.find((e) => inside(e.to) && !inside(e.from))?.from}`,
      to: group.id,
      label: "",
      edge: null,
    });
    edges.push({
      from: group.id,
      to: `s${mine.find((e) => inside(e.from) && !inside(e.to))?.to}`,
      label: "",
      edge: null,
    });
  }
  for (const edge of mine) {
    if (inner.has(edge.from) || !inner.has(edge.to)) continue;
    const chain = [edge];
    while (inner.has((chain.at(-1) as DrawnEdge).to))
      chain.push((outgoing.get((chain.at(-1) as DrawnEdge).to) as DrawnEdge[])[0] as DrawnEdge);
    if (chain.length < SHORTEST_LITERAL) continue;
    const id = `l${edge.from}_${edge.to}`;
    nodes.push({ kind: "literal", id, bytes: chain.map((e) => single(e) as number), states: chain.map((e) => e.to) });
    for (const e of chain.slice(0, -1)) folded.add(e.to);
    edges.push({ from: `s${edge.from}`, to: id, label: "", edge: null });
    edges.push({ from: id, to: `s${(chain.at(-1) as DrawnEdge).to}`, label: "", edge: null });
  }
  for (const state of states) if (!folded.has(state.id)) nodes.push({ kind: "state", id: `s${state.id}`, state });
  for (const edge of mine) {
    if (folded.has(edge.from) || folded.has(edge.to)) continue;
    edges.push({ from: `s${edge.from}`, to: `s${edge.to}`, label: labels.get(edge) ?? edge.label, edge });
  }
  // states first: Graphviz breaks cycles in the order of nodes, and what is folded should hang on what is not
  nodes.sort((a, b) => Number(b.kind === "state") - Number(a.kind === "state"));
  const starts = (rule.starts ?? [rule.start]).map((id) => `s${id}`);
  return { rule, nodes, edges, start: `s${rule.start}`, starts };
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
  return {
    ...graph,
    nodes: graph.nodes.filter((n) => kept.has(n.id)),
    starts: graph.starts.filter((id) => kept.has(id)),
    edges: graph.edges.filter((e) => kept.has(e.from) && kept.has(e.to)),
  };
}

// ---- Sizes and positions --------------------------------------------------------------------------------------------------

export const RADIUS = 14;
export const LABEL_MOST = 26;
/** width of a character of our monospace at 12 px */
const MONO = 7.3;
export const shortLabel = (label: string, most = LABEL_MOST): string => cut(label, most);
export const labelWidth = (label: string, most = LABEL_MOST): number => [...shortLabel(label, most)].length * MONO;

export const literalWidth = (node: LiteralNode): number =>
  Math.ceil(Math.min(node.bytes.length, LITERAL_MOST) * MONO) + 18;
export const LITERAL_MOST = 24;
export function sizeOf(node: FsmNode): { w: number; h: number } {
  if (node.kind === "state") return { w: 2 * RADIUS, h: 2 * RADIUS };
  return node.kind === "literal" ? { w: literalWidth(node), h: 24 } : { w: 92, h: 30 };
}

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

const LABEL_HEIGHT = 14;
/** Lines up or down that a label may move, the nearest first. */
const MOVES = [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6];
/** Where labels stand so that none covers another: from left to right, each moves up or down to the nearest free line. */
export function labelHeights(edges: readonly PlacedEdge[], most = LABEL_MOST): number[] {
  const heights = edges.map((edge) => edge.at.y);
  const boxes: { left: number; right: number; y: number }[] = [];
  const byPlace = edges.map((_, k) => k).sort((a, b) => (edges[a]?.at.x ?? 0) - (edges[b]?.at.x ?? 0));
  for (const k of byPlace) {
    const edge = edges[k] as PlacedEdge;
    if (!edge.label) continue;
    const half = labelWidth(edge.label, most) / 2 + 2;
    const [left, right] = [edge.at.x - half, edge.at.x + half];
    const beside = boxes.filter((box) => left < box.right && box.left < right);
    const isFree = (at: number) => beside.every((box) => Math.abs(box.y - at) >= LABEL_HEIGHT);
    const move = MOVES.find((by) => isFree(edge.at.y + by * LABEL_HEIGHT)) ?? 0;
    const y = edge.at.y + move * LABEL_HEIGHT;
    boxes.push({ left, right, y });
    heights[k] = y;
  }
  return heights;
}
