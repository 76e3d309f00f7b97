// Where the nodes of one derivation stand among several that are drawn side by side. Pure.
//
// IDEA  A tree in the usual way: the root on top, each node over the middle of its parts, bytes at the bottom in their order. All trees of
//       a list have the same bytes, so equal leaves have equal widths, and a reader compares shapes. Of a large
//       tree only the surroundings of the node at which it parts from another one are drawn; other parts are one closed node each.
import type { ForestTree } from "../../../wire";
import { GLYPH } from "./places";

export interface ForestNode {
  /** the place of its row in the record */
  row: number;
  parent: number | null;
  rule: number | null;
  begin: number;
  end: number | null;
  item: [column: number, index: number] | null;
  nWays: number;
  differs: boolean;
  /** the list's trees part here */
  parts: boolean;
  /** its parts are not drawn */
  closed: boolean;
  label: string;
  span: string;
  x: number;
  y: number;
  width: number;
}
export interface PlacedForestTree {
  nodes: ForestNode[];
  width: number;
  height: number;
  nClosed: number;
}

export const NODE_HEIGHT = 24;
export const LEVEL = 44;
const GAP = 10;
const LEAF_GLYPHS = 24;
/** trees of more nodes than this are drawn in part */
export const MOST_OPEN_NODES = 48;
const LEVELS_ABOVE = 3;
export const keyOf = ({ rule, begin, end }: ForestNode): string => `${rule ?? "b"}.${begin}.${end ?? "open"}`;

/** Rows that are drawn, the first one on top: all, or of a large tree the surroundings of the node at which it parts from another. */
function shownRows({ nodes, parts_at }: ForestTree): Map<number, { closed: boolean }> {
  const shown = new Map<number, { closed: boolean }>();
  if (nodes.length <= MOST_OPEN_NODES) {
    nodes.forEach((_, k) => {
      shown.set(k, { closed: false });
    });
    return shown;
  }
  const rules = nodes.flatMap((row, k) => ((row[1] as number) >= 0 ? [k] : []));
  const parting = rules[parts_at ?? 0] ?? 0;
  const open = new Set<number>([parting]);
  let top = parting;
  for (let level = 0; level < LEVELS_ABOVE && (nodes[top]?.[0] ?? -1) >= 0; level++) {
    top = nodes[top]?.[0] as number;
    open.add(top);
  }
  // parents stand before their parts
  nodes.forEach((row, k) => {
    const parent = row[0];
    const rule = row[1];
    if (k === top) shown.set(k, { closed: false });
    else if (shown.has(parent) && open.has(parent) && shown.size < MOST_OPEN_NODES) {
      const isOpen = open.has(k) || (parent === parting && row[7] === 1);
      if (isOpen) open.add(k);
      shown.set(k, { closed: rule >= 0 && !isOpen });
    }
  });
  return shown;
}

/** A derivation's nodes with their places. `nameOf` names a rule, `textOf` shows a run of bytes. */
export function placeForestTree(
  tree: ForestTree,
  nameOf: (rule: number) => string,
  textOf: (begin: number, end: number) => string,
): PlacedForestTree {
  const shown = shownRows(tree);
  const rules = tree.nodes.flatMap((row, k) => ((row[1] as number) >= 0 ? [k] : []));
  const place = new Map<number, ForestNode>();
  const inside = new Map<number, ForestNode[]>();
  for (const [k, { closed }] of shown) {
    const [parent, rule, begin, end, column, index, nWays, differs] = tree.nodes[k] as number[] as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const isLeaf = rule < 0;
    const text = isLeaf ? textOf(begin, end) : nameOf(rule);
    const all = [...text];
    const label = isLeaf && all.length > LEAF_GLYPHS ? `${all.slice(0, LEAF_GLYPHS - 1).join("")}…` : text;
    const span = isLeaf ? "" : `${begin}–${end < 0 ? "…" : end}`;
    const glyphs = [...label].length + (span ? span.length + 1 : 0) + (closed ? 2 : 0);
    const node: ForestNode = {
      row: k,
      parent: parent < 0 ? null : parent,
      rule: isLeaf ? null : rule,
      begin,
      end: end < 0 ? null : end,
      item: column < 0 ? null : [column, index],
      nWays,
      differs: differs === 1,
      parts: k === rules[tree.parts_at ?? -1],
      closed,
      label,
      span,
      x: 0,
      y: 0,
      width: Math.ceil(glyphs * GLYPH) + (isLeaf ? 8 : 16) + (nWays > 1 ? 16 : 0),
    };
    place.set(k, node);
    if (node.parent !== null) inside.set(node.parent, [...(inside.get(node.parent) ?? []), node]);
  }
  // from the last row to the first, so that parts are measured before what they are parts of
  const extent = new Map<number, number>();
  const order = [...place.values()].sort((a, b) => a.row - b.row);
  for (const node of order.toReversed()) {
    const parts = inside.get(node.row) ?? [];
    const below = parts.reduce((sum, part) => sum + (extent.get(part.row) as number) + GAP, -GAP);
    extent.set(node.row, Math.max(node.width, below));
  }
  const top = order[0]?.row ?? 0;
  const left = new Map<number, number>([[top, 0]]);
  let height = 0;
  for (const node of order) {
    const from = left.get(node.row) as number;
    const own = extent.get(node.row) as number;
    node.x = from + own / 2;
    const above = node.row === top || node.parent === null ? null : place.get(node.parent);
    node.y = above ? above.y + LEVEL : NODE_HEIGHT / 2;
    height = Math.max(height, node.y + NODE_HEIGHT / 2);
    const parts = inside.get(node.row) ?? [];
    const below = parts.reduce((sum, part) => sum + (extent.get(part.row) as number) + GAP, -GAP);
    let at = from + (own - below) / 2;
    for (const part of parts) {
      left.set(part.row, at);
      at += (extent.get(part.row) as number) + GAP;
    }
  }
  const nClosed = order.filter((node) => node.closed).length;
  return { nodes: order, width: extent.get(top) ?? 0, height, nClosed };
}

/** The node that an arrow key leads to: the parent, the first part, the node before or after at the same height. */
export function besideNode(nodes: readonly ForestNode[], from: ForestNode, key: string): ForestNode {
  const level = nodes.filter((node) => node.y === from.y).sort((a, b) => a.x - b.x);
  const at = level.indexOf(from);
  const to = {
    ArrowUp: nodes.find((node) => node.row === from.parent),
    ArrowDown: nodes.find((node) => node.parent === from.row),
    ArrowLeft: level[at - 1],
    ArrowRight: level[at + 1],
    Home: nodes[0],
    End: nodes.at(-1),
  }[key];
  return to ?? from;
}
