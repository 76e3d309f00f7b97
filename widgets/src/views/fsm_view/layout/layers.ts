// A machine laid out without Graphviz: layers by breadth-first distance from the start, loops above, edges back below. Pure.

import { groupBy } from "../../../trace";
import {
  type FsmEdge,
  type FsmGraph,
  type FsmLayout,
  type FsmNode,
  labelWidth,
  type PlacedEdge,
  type Point,
  RADIUS,
  sizeOf,
} from "./fsm";

/** Layers by distance from the start, in the order of the edges; loops above, edges back below. */
export function layerLayout(graph: FsmGraph): FsmLayout {
  const starts = graph.starts.length > 0 ? graph.starts : [graph.nodes[0]?.id ?? ""];
  const layer = new Map(starts.map((id) => [id, 0]));
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
    return {
      ...base,
      points: [
        { x: a.x - 8, y },
        { x: a.x - 26, y: y - 36 },
        { x: a.x + 26, y: y - 36 },
        { x: a.x + 8, y: y - 1 },
      ],
      at: { x: a.x, y: y - 32 },
    };
  }
  const hops = (layer.get(edge.to) as number) - (layer.get(edge.from) as number);
  if (hops === 1) {
    const [x0, x1] = [a.x + half(edge.from), b.x - half(edge.to) - 1];
    const mid = (x0 + x1) / 2;
    return {
      ...base,
      points: [
        { x: x0, y: a.y },
        { x: mid, y: a.y },
        { x: mid, y: b.y },
        { x: x1, y: b.y },
      ],
      at: { x: mid, y: (a.y + b.y) / 2 - 7 },
    };
  }
  const lift = (hops > 0 ? -1 : 1) * (34 + 10 * Math.abs(hops));
  const y0 = lift < 0 ? -RADIUS : RADIUS;
  return {
    ...base,
    points: [
      { x: a.x, y: a.y + y0 },
      { x: a.x, y: a.y + y0 + lift },
      { x: b.x, y: b.y + y0 + lift },
      { x: b.x, y: b.y + y0 },
    ],
    at: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 + y0 + lift * 0.75 },
  };
}
