// To Graphviz and back: dot text out, its plain format in, both in our pixels. Pure.
//
// Graphviz measures in inches of 72 points, y upwards; a point is a pixel here. Text is set in a monospace of 12 px, for which
// Courier's metrics are right.
import { type FsmGraph, type FsmLayout, LITERAL_MOST, type PlacedEdge, type Point, shortLabel, sizeOf } from "./fsm";

const INCH = 72;
const quote = (text: string): string => `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;

/** Layers go from left to right, or `down`, for boxes too narrow for that. */
export function toDot(graph: FsmGraph, down = false): string {
  const out = [
    "digraph {",
    `rankdir=${down ? "TB" : "LR"}; nodesep=${down ? 0.3 : 0.42}; ranksep=${down ? 0.24 : 0.34}; margin=0;`,
    'node [label="" fixedsize=true shape=circle]; edge [fontname=Courier fontsize=12 arrowsize=0.6];',
  ];
  for (const node of graph.nodes) {
    const { w, h } = sizeOf(node);
    out.push(
      `${node.id} [width=${(w / INCH).toFixed(3)} height=${(h / INCH).toFixed(3)}${node.kind === "state" ? "" : " shape=box"}];`,
    );
  }
  if (!down) {
    const entries = graph.starts.map((start) => ` entry -> ${start} [minlen=1];`);
    out.push(`entry [width=0.12 height=0.12 shape=point];${entries.join("")}`);
  }
  graph.edges.forEach((edge) => {
    out.push(`${edge.from} -> ${edge.to}${edge.label ? ` [label=${quote(` ${shortLabel(edge.label)} `)}]` : ""};`);
  });
  out.push("}");
  return out.join("\n");
}

/** Words of one line of the plain format; quoted ones may hold spaces. */
const words = (line: string): string[] =>
  (line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []).map((w) =>
    w.startsWith('"') ? w.slice(1, -1).replace(/\\(["\\])/g, "$1") : w,
  );

/** Graphviz's "plain" text as a layout. Edges come in the order they were written, which gives them their labels. */
export function fromPlain(plain: string, graph: FsmGraph): FsmLayout {
  let height = 0;
  let width = 0;
  const nodes: Record<string, Point> = {};
  const edges: PlacedEdge[] = [];
  const waiting = [...graph.edges];
  const point = (x: string | undefined, y: string | undefined): Point => ({
    x: Number(x) * INCH,
    y: height - Number(y) * INCH,
  });
  for (const line of plain.split("\n")) {
    const w = words(line);
    if (w[0] === "graph") {
      width = Number(w[2]) * INCH;
      height = Number(w[3]) * INCH;
    } else if (w[0] === "node") nodes[w[1] as string] = point(w[2], w[3]);
    else if (w[0] === "edge" && w[1] !== "entry") {
      const n = Number(w[3]);
      const points = Array.from({ length: n }, (_, k) => point(w[4 + 2 * k], w[5 + 2 * k]));
      const k = waiting.findIndex((e) => e.from === w[1] && e.to === w[2]);
      const [source] = waiting.splice(k, 1);
      const label = source?.label ?? "";
      const mid = points[n >> 1] as Point;
      const at = label ? point(w[5 + 2 * n], w[6 + 2 * n]) : mid;
      edges.push({ from: w[1] as string, to: w[2] as string, label, points, at });
    }
  }
  delete nodes.entry;
  return { width, height, nodes, edges, by: "graphviz" };
}

/** The key under which a layout is saved: the same graph has the same picture. */
export function layoutKey(graph: FsmGraph, down = false): string {
  let h = 2166136261;
  for (const c of `${LITERAL_MOST}${toDot(graph, down)}`) h = Math.imul(h ^ (c.codePointAt(0) as number), 16777619);
  return `${graph.rule.name}-${(h >>> 0).toString(36)}`;
}

/** A layout as a notebook keeps it: a point is a pair, to the pixel. */
export const packLayout = (layout: FsmLayout): string =>
  JSON.stringify(layout, (_, value) => {
    if (typeof value === "number") return Math.round(value);
    return typeof value?.x === "number" ? [value.x, value.y] : value;
  });

/** The layout of such a text. */
export const unpackLayout = (text: string): FsmLayout =>
  JSON.parse(text, (_, value) => (typeof value?.[0] === "number" ? { x: value[0], y: value[1] } : value));
