// The layout of the workbench: a tree of splits whose leaves are stacks of views. Pure: every operation returns a new tree.
//
// IDEA  A split puts its parts beside each other or below each other. A part has a length in pixels or takes what is left, so a wider
//       box widens the part that profits most from it. A stack shows one of its views, and the others are tabs. `arrange` turns a
//       tree and a box into rectangles; whatever draws the panes needs nothing else.
//
// EXAMPLE
//   column: text 84, tape 134, row: (mask 440, why: the rest): the rest, dock 160
//   in 1008 × 652: text 1008 × 84, tape 1008 × 134, mask 440 × 271, why 567 × 271, dock 1008 × 160, hairlines between
//
// INVARIANTS of `arrange`
//   I1  rectangles and hairlines fill the box and never overlap
//   I2  no length is negative, however small the box
//   I3  a part is shorter than its least length only if the least lengths together exceed the box

/** Views in one pane; `on` is the view on top. null: the view that leads for the trace, else the first. */
export interface Stack {
  readonly id: string;
  readonly views: readonly string[];
  readonly on: string | null;
}
export interface Part {
  readonly of: Node;
  /** in pixels along the split; null: what the others leave */
  readonly size: number | null;
  /** collapsed to a bar of its titles */
  readonly shut?: boolean;
}
export interface Split {
  readonly dir: "row" | "column";
  readonly parts: readonly Part[];
}
export type Node = Stack | Split;
export type Side = "in" | "left" | "right" | "top" | "bottom";
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
export interface PaneAt extends Box {
  readonly stack: Stack;
  /** collapsed: only its titles are drawn, side by side or, in a bar between columns, one above the other */
  readonly bar: "across" | "upright" | null;
}
/** The hairline between two parts of a split. */
export interface Splitter extends Box {
  readonly dir: Split["dir"];
  /** indices of parts from the root to the split */
  readonly path: readonly number[];
  /** of the part before the hairline */
  readonly at: number;
  readonly lengths: readonly number[];
  readonly least: readonly number[];
  /** which parts are collapsed: a hairline at one of them does not move */
  readonly bars: readonly boolean[];
}
/** Least width and height in pixels of a stack of these views. */
export type LeastOf = (views: readonly string[]) => readonly [number, number];

export const BAR = 32;
export const HAIR = 1;

export const isSplit = (node: Node): node is Split => "parts" in node;
export const split = (dir: Split["dir"], ...parts: (readonly [Node, number | null])[]): Split => ({
  dir,
  parts: parts.map(([of, size]) => ({ of, size })),
});
export const stack = (id: string, ...views: string[]): Stack => ({ id, views, on: null });

/** The stacks of a tree in reading order. */
export const stacksOf = (node: Node): readonly Stack[] =>
  isSplit(node) ? node.parts.flatMap(({ of }) => stacksOf(of)) : [node];
export const viewsOf = (node: Node): readonly string[] => stacksOf(node).flatMap(({ views }) => views);
export const stackOf = (node: Node, view: string): Stack | undefined =>
  stacksOf(node).find(({ views }) => views.includes(view));

/** The shortest a node can be along an axis: 0 is the width, 1 the height. */
function leastLength(node: Node, axis: 0 | 1, leastOf: LeastOf): number {
  if (!isSplit(node)) return Math.max(BAR, leastOf(node.views)[axis]);
  const along = (node.dir === "row" ? 0 : 1) === axis;
  const each = node.parts.map(({ of, shut }) => (shut && along ? BAR : leastLength(of, axis, leastOf)));
  return along ? each.reduce((sum, one) => sum + one, HAIR * (each.length - 1)) : Math.max(...each);
}

/** Lengths of a split's parts that fill `room`, and which of them are bars. */
export function divide(parts: readonly Part[], least: readonly number[], room: number): [number[], boolean[]] {
  const length = Math.max(0, room - HAIR * (parts.length - 1));
  const bars = parts.map(({ shut }) => shut === true);
  const isRest = (k: number) => parts[k]?.size === null && !bars[k];
  const shortest = (k: number) => (bars[k] ? BAR : (least[k] as number));
  // what does not fit is collapsed, the last first; the parts that take the rest stay
  for (let k = parts.length - 1; k >= 0 && total(parts.map((_, j) => shortest(j))) > length; k--)
    if (parts[k]?.size !== null && (least[k] as number) > BAR && total(parts.map((_, j) => Number(!bars[j]))) > 1)
      bars[k] = true;
  const wanted = parts.map(({ size }, k) => Math.max(shortest(k), bars[k] ? 0 : (size ?? 0)));
  const over = total(wanted) - length;
  const spare = wanted.map((want, k) => want - shortest(k));
  let exact = wanted;
  if (over > 0 && over <= total(spare))
    exact = wanted.map((want, k) => want - (over * (spare[k] as number)) / total(spare));
  else if (over > 0) exact = wanted.map((want) => (want * length) / total(wanted));
  else if (over < 0) {
    const open = parts.map((_, k) => k).filter((k) => !bars[k]);
    const rest = open.some(isRest) ? open.filter(isRest) : open.length > 0 ? open.slice(-1) : [parts.length - 1];
    exact = levelled(wanted, rest, -over);
  }
  // whole pixels that add up: each part ends where its exact end is rounded to
  const ends = exact.map((_, k) => Math.round(total(exact.slice(0, k + 1))));
  return [ends.map((end, k) => end - (ends[k - 1] ?? 0)), bars];
}
/** Shares `more` among some of the lengths, so that they become as equal as they can. */
function levelled(lengths: readonly number[], some: readonly number[], more: number): number[] {
  // those that are longer than an equal share keep their length
  let open = [...some];
  for (;;) {
    const level = (total(open.map((k) => lengths[k] as number)) + more) / open.length;
    const under = open.filter((k) => (lengths[k] as number) <= level);
    if (under.length === open.length) return lengths.map((length, k) => (open.includes(k) ? level : length));
    open = under;
  }
}
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Rectangles of all panes and hairlines of a tree in a box. */
export function arrange(root: Node, box: Box, leastOf: LeastOf): { panes: PaneAt[]; splitters: Splitter[] } {
  const panes: PaneAt[] = [];
  const splitters: Splitter[] = [];
  const place = (node: Node, at: Box, path: readonly number[], bar: PaneAt["bar"]): void => {
    if (!isSplit(node)) {
      panes.push({ ...at, stack: node, bar });
      return;
    }
    if (bar) {
      // a collapsed group is one bar of all its titles
      const first = stacksOf(node)[0];
      panes.push({ ...at, stack: { id: first?.id ?? "", views: viewsOf(node), on: first?.on ?? null }, bar });
      return;
    }
    const isRow = node.dir === "row";
    const least = node.parts.map(({ of }) => leastLength(of, isRow ? 0 : 1, leastOf));
    const [lengths, bars] = divide(node.parts, least, isRow ? at.w : at.h);
    let begin = isRow ? at.x : at.y;
    node.parts.forEach(({ of }, k) => {
      const length = lengths[k] as number;
      const part = isRow ? { ...at, x: begin, w: length } : { ...at, y: begin, h: length };
      place(of, part, [...path, k], bars[k] ? (isRow ? "upright" : "across") : null);
      begin += length;
      if (k === node.parts.length - 1) return;
      const line = isRow ? { ...at, x: begin, w: HAIR } : { ...at, y: begin, h: HAIR };
      splitters.push({ ...line, dir: node.dir, path, at: k, lengths, least, bars });
      begin += HAIR;
    });
  };
  place(root, box, [], null);
  return { panes, splitters };
}

/** The tree with the split at a path changed. */
function atPath(node: Node, path: readonly number[], change: (at: Split) => Split): Node {
  if (!isSplit(node)) return node;
  const [first, ...deeper] = path;
  if (first === undefined) return change(node);
  return {
    ...node,
    parts: node.parts.map((part, k) => (k === first ? { ...part, of: atPath(part.of, deeper, change) } : part)),
  };
}

/** How far a hairline can move: from and to, in pixels. */
export function reach({ lengths, least, bars, at }: Splitter): readonly [number, number] {
  if (bars[at] || bars[at + 1]) return [0, 0];
  const spare = (k: number) => Math.max(0, (lengths[k] as number) - (least[k] as number));
  return [-spare(at) || 0, spare(at + 1)];
}

/** The hairline moved by so many pixels, as far as the least lengths allow. */
export function drag(root: Node, splitter: Splitter, by: number): Node {
  const [from, to] = reach(splitter);
  const move = Math.max(from, Math.min(to, by));
  if (move === 0) return root;
  const { at, lengths, bars } = splitter;
  const next = lengths.map((length, k) => length + (k === at ? move : k === at + 1 ? -move : 0));
  return atPath(root, splitter.path, (node) => {
    // one part goes on taking the rest; the others keep the lengths that are seen
    const rest = node.parts.flatMap(({ size }, k) => (size === null && !bars[k] ? [k] : []));
    const taker = rest.find((k) => k !== at && k !== at + 1) ?? rest.at(-1);
    const isTouched = rest.includes(at) || rest.includes(at + 1);
    const parts = node.parts.map((part, k) => {
      const isKept = bars[k] || k === taker || (part.size === null && !isTouched);
      return isKept ? part : { ...part, size: next[k] as number };
    });
    return { ...node, parts };
  });
}

/** The part that a hairline collapses: the one with a length of its own, the first of two. */
export function collapsedBy(root: Node, { path, at }: Pick<Splitter, "path" | "at">): number {
  let node = root;
  for (const k of path) node = (node as Split).parts[k]?.of as Node;
  const { parts } = node as Split;
  const known = [at, at + 1].find((k) => parts[k]?.shut);
  return known ?? (parts[at]?.size === null && parts[at + 1]?.size !== null ? at + 1 : at);
}

/** Collapse a part at a hairline, or open it again; the last open part of a split stays open. */
export function toggle(root: Node, splitter: Splitter): Node {
  const which = collapsedBy(root, splitter);
  return atPath(root, splitter.path, (node) => {
    const { of, size, shut } = node.parts[which] as Part;
    const changed = shut ? { of, size } : { of, size, shut: true };
    if (!shut && node.parts.filter((part) => !part.shut).length < 2) return node;
    return { ...node, parts: node.parts.map((part, k) => (k === which ? changed : part)) };
  });
}

const mapStacks = (node: Node, change: (at: Stack) => Stack): Node =>
  isSplit(node)
    ? { ...node, parts: node.parts.map((part) => ({ ...part, of: mapStacks(part.of, change) })) }
    : change(node);

/** Bring a view to the front of its stack, and open what is collapsed around it. */
export function pick(root: Node, view: string): Node {
  const show = (node: Node): Node => {
    if (!isSplit(node)) return node.views.includes(view) ? { ...node, on: view } : node;
    const parts = node.parts.map((part) =>
      viewsOf(part.of).includes(view) ? { of: show(part.of), size: part.size } : part,
    );
    return { ...node, parts };
  };
  return show(root);
}

/** Without empty stacks, and without splits of one part. */
function pruned(node: Node): Node | null {
  if (!isSplit(node)) return node.views.length > 0 ? node : null;
  const parts = node.parts.flatMap((part) => {
    const of = pruned(part.of);
    return of ? [{ ...part, of }] : [];
  });
  const [only] = parts;
  if (parts.length === 1 && only) return only.of;
  const isAllShut = parts.every(({ shut }) => shut);
  return parts.length === 0
    ? null
    : { ...node, parts: isAllShut ? parts.map(({ of, size }) => ({ of, size })) : parts };
}

export const EMPTY: Stack = { id: "empty", views: [], on: null };
/** The tree of some of its views. */
export const kept = (root: Node, has: (view: string) => boolean): Node =>
  pruned(mapStacks(root, (at) => ({ ...at, views: at.views.filter(has) }))) ?? EMPTY;
/** Take a view out; the tab beside it comes to the front. */
export function close(root: Node, view: string): Node {
  const without = mapStacks(root, (at) => {
    const k = at.views.indexOf(view);
    if (k < 0) return at;
    const views = at.views.filter((one) => one !== view);
    return {
      ...at,
      views,
      on: at.on === view ? (views[Math.min(k, views.length - 1)] ?? null) : at.on,
    };
  });
  return pruned(without) ?? EMPTY;
}

/** Put a view that is closed into the stack where most of its neighbours are, else into the last; it comes to the front. */
export function open(root: Node, view: string, neighbours: readonly string[]): Node {
  const stacks = stacksOf(root);
  if (viewsOf(root).includes(view)) return pick(root, view);
  const known = (at: Stack) => at.views.filter((one) => neighbours.includes(one)).length;
  const into = stacks.reduce((best, at) => (known(at) >= Math.max(1, known(best)) ? at : best), stacks.at(-1) ?? EMPTY);
  const added = mapStacks(root, (at) => (at.id === into.id ? { ...at, views: [...at.views, view] } : at));
  return pick(added, view);
}

const freshId = (root: Node): string => {
  const taken = new Set(stacksOf(root).map(({ id }) => id));
  let k = 1;
  while (taken.has(`pane-${k}`)) k++;
  return `pane-${k}`;
};

/** Move a view into another stack, or to a side of one, where it becomes a pane of its own. */
export function move(root: Node, view: string, to: string, side: Side): Node {
  const from = stackOf(root, view);
  if (!from || (from.id === to && (side === "in" || from.views.length === 1))) return root;
  const moved: Stack = { id: freshId(root), views: [view], on: view };
  const left = close(root, view);
  if (side === "in")
    return pick(
      mapStacks(left, (at) => (at.id === to ? { ...at, views: [...at.views, view] } : at)),
      view,
    );
  const dir = side === "left" || side === "right" ? "row" : "column";
  const isBefore = side === "left" || side === "top";
  const beside = (node: Node): Node => {
    if (!isSplit(node)) {
      if (node.id !== to) return node;
      const both: [Node, null][] = [
        [node, null],
        [moved, null],
      ];
      return split(dir, ...(isBefore ? both.reverse() : both));
    }
    const k = node.parts.findIndex(({ of }) => !isSplit(of) && of.id === to);
    if (k < 0 || node.dir !== dir)
      return { ...node, parts: node.parts.map((part) => ({ ...part, of: beside(part.of) })) };
    const { size } = node.parts[k] as Part;
    const half = size === null ? null : Math.round(size / 2);
    const parts = node.parts.map((part, j) => (j === k ? { ...part, size: half } : part));
    parts.splice(isBefore ? k : k + 1, 0, { of: moved, size: half });
    return { ...node, parts };
  };
  return beside(left);
}

/** Where a tab that is let go at a point would dock; null: outside all panes. The rim of a pane docks beside it. */
export function dockAt(panes: readonly PaneAt[], x: number, y: number): { to: string; side: Side; shown: Box } | null {
  const at = panes.find((one) => x >= one.x && x < one.x + one.w && y >= one.y && y < one.y + one.h);
  if (!at) return null;
  const to = at.stack.id;
  if (at.bar || y < at.y + BAR) return { to, side: "in", shown: at };
  const [across, down] = [(x - at.x) / at.w, (y - at.y) / at.h];
  const rims: [number, Side, Box][] = [
    [across, "left", { ...at, w: at.w / 2 }],
    [1 - across, "right", { ...at, x: at.x + at.w / 2, w: at.w / 2 }],
    [down, "top", { ...at, h: at.h / 2 }],
    [1 - down, "bottom", { ...at, y: at.y + at.h / 2, h: at.h / 2 }],
  ];
  const [far, side, shown] = rims.reduce((near, rim) => (rim[0] < near[0] ? rim : near));
  return far < 0.25 ? { to, side, shown } : { to, side: "in", shown: at };
}
