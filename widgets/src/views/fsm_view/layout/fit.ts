// A machine's layout made as narrow as a box, as far as that can be done without making text smaller. Pure.
//
// IDEA  Nodes are as wide as they are; what can give is the room between them. Nodes that overlap from left to right form one stiff
//       piece; the gaps between pieces shrink towards the widest label that stands in them. If that is not enough, long labels are
//       shortened, step by step. Only what then is still too wide has to scroll.
//
// EXAMPLE   0 ──────── "{" ──────── 1   becomes   0 ─ "{" ─ 1;  a chain of forty states stays wider than any cell.
import { type FsmGraph, type FsmLayout, LABEL_MOST, labelWidth, type PlacedEdge, sizeOf } from "./fsm";

/** Characters a label may have, from roomy to tight. */
const LABELS = [LABEL_MOST, 16, 11, 8];
/** half a character of a caption, at 11 px */
const CAPTION_HALF = 3.1;
const LEAST_GAP = 20;
/** room for an arrow's head beside a label */
const LABEL_GAP = 10;

export interface Fitted {
  layout: FsmLayout;
  labelMost: number;
}

/** What captions under folded states reach past the right end of a layout. */
export const overhang = (layout: FsmLayout, graph: FsmGraph): number =>
  Math.max(
    0,
    ...graph.nodes.map((node) => {
      const at = node.kind === "group" ? layout.nodes[node.id] : undefined;
      return node.kind === "group" && at ? at.x + node.caption.length * CAPTION_HALF - layout.width : 0;
    }),
  );

interface Piece {
  left: number;
  right: number;
}

/** Nodes joined where they overlap from left to right. */
function pieces(layout: FsmLayout, graph: FsmGraph): Piece[] {
  const spans = graph.nodes
    .flatMap((node) => {
      const at = layout.nodes[node.id];
      const half = sizeOf(node).w / 2;
      return at ? [{ left: at.x - half, right: at.x + half }] : [];
    })
    .sort((a, b) => a.left - b.left);
  const out: Piece[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && span.left <= last.right + 2) last.right = Math.max(last.right, span.right);
    else out.push({ ...span });
  }
  return out;
}

/** Whether a layout has to scroll in a box of this width. */
export const tooWide = ({ layout }: Fitted, graph: FsmGraph, room: number): boolean =>
  layout.width + overhang(layout, graph) > room;

/** The layout no wider than `room`, or as narrow as it can be. */
export function fitted(layout: FsmLayout, graph: FsmGraph, room: number): Fitted {
  const fits = (placed: FsmLayout) => placed.width + overhang(placed, graph) <= room;
  if (fits(layout)) return { layout, labelMost: LABEL_MOST };
  const stiff = pieces(layout, graph);
  let best: Fitted = { layout, labelMost: LABEL_MOST };
  for (const labelMost of LABELS) {
    best = { layout: squeezed(layout, stiff, room, labelMost), labelMost };
    const over = overhang(best.layout, graph);
    if (over > 0) best = { layout: squeezed(layout, stiff, room - over, labelMost), labelMost };
    if (fits(best.layout)) break;
  }
  return best;
}

function squeezed(layout: FsmLayout, stiff: readonly Piece[], room: number, labelMost: number): FsmLayout {
  const half = (edge: PlacedEdge) => labelWidth(edge.label, labelMost) / 2;
  const gaps = stiff.slice(1).map((piece, k) => {
    const [from, to] = [(stiff[k] as Piece).right, piece.left];
    const inside = layout.edges.filter((e) => e.label && e.at.x > from && e.at.x < to);
    const least = Math.max(LEAST_GAP, ...inside.map((e) => 2 * half(e) + LABEL_GAP));
    return { from, width: to - from, least: Math.min(to - from, least) };
  });
  // what a label reaches past the first and the last node stays as it is
  const [first, last] = [stiff[0]?.left ?? 0, stiff.at(-1)?.right ?? 0];
  const left = Math.max(0, ...layout.edges.map((e) => (e.label ? first - (e.at.x - half(e)) : 0)));
  const right = Math.max(0, ...layout.edges.map((e) => (e.label ? e.at.x + half(e) - last : 0)));
  const rest = left + right + stiff.reduce((sum, piece) => sum + piece.right - piece.left, 0);
  const [wide, tight] = [gaps.reduce((n, g) => n + g.width, 0), gaps.reduce((n, g) => n + g.least, 0)];
  const give = wide > tight ? Math.max(0, Math.min(1, (room - rest - tight) / (wide - tight))) : 0;
  // x is mapped piece by piece: pieces move as they are, gaps shrink evenly
  const starts: { from: number; to: number; scale: number }[] = [
    { from: Number.NEGATIVE_INFINITY, to: left - first, scale: 1 },
  ];
  let at = left;
  stiff.forEach((piece, k) => {
    starts.push({ from: piece.left, to: at, scale: 1 });
    at += piece.right - piece.left;
    const gap = gaps[k];
    if (!gap) return;
    const width = gap.least + (gap.width - gap.least) * give;
    starts.push({ from: gap.from, to: at, scale: width / gap.width });
    at += width;
  });
  starts.push({ from: last, to: at, scale: 1 });
  const map = (x: number): number => {
    const part = starts.findLast((s) => x >= s.from) as { from: number; to: number; scale: number };
    return Number.isFinite(part.from) ? part.to + (x - part.from) * part.scale : x + part.to;
  };
  const spread = <T extends { x: number }>(point: T): T => ({ ...point, x: map(point.x) });
  const label = (edge: PlacedEdge) => {
    const gap = gaps.find((g) => edge.at.x > g.from && edge.at.x < g.from + g.width);
    const [lo, hi] = gap ? [map(gap.from) + half(edge), map(gap.from + gap.width) - half(edge)] : [0, 0];
    const x = map(edge.at.x);
    return { ...edge.at, x: gap && lo <= hi ? Math.max(lo, Math.min(hi, x)) : x };
  };
  return {
    ...layout,
    width: at + right,
    nodes: Object.fromEntries(Object.entries(layout.nodes).map(([id, point]) => [id, spread(point)])),
    edges: layout.edges.map((edge) => ({ ...edge, points: edge.points.map(spread), at: label(edge) })),
  };
}
