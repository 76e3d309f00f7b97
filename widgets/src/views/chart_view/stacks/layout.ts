// The stacks of a pushdown automaton as rows of one tree: where they part, what is new, what is gone, what is folded. Pure.
//
// IDEA  A frame is what it says and what it stands on: that makes a key, and equal frames of two steps have the same. Rows go from the
//       bottom up. What stands alone on a frame stands straight under its row; where stacks part, branches move to the right. Long
//       straight runs, many tops on one frame, and rows past a limit are counted in place of being drawn.
//
// EXAMPLE   root waits for pair, pair waits for string, one top: three rows, one line. Two readings of a text: two branches.
import type { Program, StackTree } from "../../../wire";

export interface StackNode {
  key: number;
  state: number;
  called: number | null; // null: the top of a stack
  counts: string | null;
  below: StackNode | null;
  above: StackNode[];
  mark: "new" | "gone" | null;
}
export interface StackRow {
  key: string;
  /** one, or those that are folded here */
  nodes: StackNode[];
  folds: "frames" | "stacks" | null;
  depth: number;
  from: number | null; // the row it stands on
}
export interface StackRows {
  rows: StackRow[];
  nLeftOut: number;
}

const numbers = new WeakMap<Program, Map<string, number>>();
function keyOf(program: Program, ...parts: (number | string | null | undefined)[]): number {
  const known = numbers.get(program) ?? new Map<string, number>();
  numbers.set(program, known);
  const words = parts.join("/");
  const key = known.get(words) ?? known.size;
  known.set(words, key);
  return key;
}

/** Whether nothing was left out: only then can two trees be compared. */
export const isWhole = (tree: StackTree): boolean =>
  tree.tops.length === tree.n_stacks && tree.frames.length === tree.n_frames;

/** The frames of a tree by key, linked; a frame whose own is not listed stands at the bottom. */
function framesOf(program: Program, tree: StackTree): { byId: Map<number, StackNode>; byKey: Map<number, StackNode> } {
  const byId = new Map<number, StackNode>();
  const byKey = new Map<number, StackNode>();
  for (const { id, below, called, state, counts } of tree.frames) {
    const on = below === null ? null : (byId.get(below) ?? null);
    const key = keyOf(program, on?.key ?? below, state, called, counts);
    const node = byKey.get(key) ?? { key, state, called, counts, below: on, above: [], mark: null };
    byId.set(id, node);
    byKey.set(key, node);
  }
  return { byId, byKey };
}

/** The tree's nodes at the bottom. Frames that `before` lacks are new; those that only `before` has stand there as gone. */
export function stackNodes(program: Program, tree: StackTree, before: StackTree | null): StackNode[] {
  const { byId, byKey } = framesOf(program, tree);
  const bottom: StackNode[] = [];
  const put = (node: StackNode) => (node.below ? node.below.above : bottom).push(node);
  for (const { state, below } of tree.tops) {
    const on = below === null ? null : (byId.get(below) ?? null);
    const key = keyOf(program, on?.key ?? below, state, "top");
    put({ key, state, called: null, counts: null, below: on, above: [], mark: null });
  }
  const former = before && isWhole(before) && isWhole(tree) ? framesOf(program, before).byKey : null;
  for (const node of byKey.values()) {
    if (former && !former.has(node.key)) node.mark = "new";
    put(node);
  }
  for (const gone of former?.values() ?? []) {
    if (byKey.has(gone.key)) continue;
    gone.mark = "gone";
    if (gone.below) gone.below = byKey.get(gone.below.key) ?? gone.below;
    put(gone);
  }
  return bottom;
}

/** A node and all that it stands on. */
export function stackOf(node: StackNode | null): Set<StackNode> {
  const out = new Set<StackNode>();
  for (let at = node; at; at = at.below) out.add(at);
  return out;
}

/** The first node, from the bottom up, of which `wanted` holds; the tops are asked first. */
export function findNode(bottom: readonly StackNode[], wanted: (node: StackNode) => boolean): StackNode | null {
  let frame: StackNode | null = null;
  const agenda = bottom.toReversed();
  for (let node = agenda.pop(); node; node = agenda.pop()) {
    if (node.mark !== "gone" && wanted(node)) {
      if (node.called === null) return node;
      frame ??= node;
    }
    for (const next of node.above.toReversed()) agenda.push(next);
  }
  return frame;
}

const LONGEST_RUN = 9;
const [RUN_HEAD, RUN_TAIL] = [2, 4];
const MOST_TOPS = 6;

/** A node, and the unmarked frames that stand straight on it. */
function runFrom(first: StackNode): StackNode[] {
  const run = [first];
  for (let at = first; at.called !== null && !at.mark && at.above.length === 1; ) {
    at = at.above[0] as StackNode;
    if (at.called === null || at.mark) break;
    run.push(at);
  }
  return run;
}

type Piece = Pick<StackRow, "key" | "nodes" | "folds">;
const single = (node: StackNode): Piece => ({ key: `n${node.key}`, nodes: [node], folds: null });

/** A run as rows: all of it, or its middle folded. */
function piecesOf(run: readonly StackNode[], opened: ReadonlySet<string>): Piece[] {
  const key = `r${run[0]?.key}`;
  if (run.length <= LONGEST_RUN || opened.has(key)) return run.map(single);
  const middle: Piece = { key, nodes: run.slice(RUN_HEAD, -RUN_TAIL), folds: "frames" };
  return [...run.slice(0, RUN_HEAD).map(single), middle, ...run.slice(-RUN_TAIL).map(single)];
}

/** What stands on one frame: tops first, of many a few and the number of the others. */
function branchesOf(nodes: readonly StackNode[], opened: ReadonlySet<string>): Piece[] {
  const tops = nodes.filter((node) => node.called === null);
  const key = `t${tops[0]?.key}`;
  const hidden = tops.length > MOST_TOPS && !opened.has(key) ? tops.splice(MOST_TOPS - 1) : [];
  const folded: Piece[] = hidden.length > 0 ? [{ key, nodes: hidden, folds: "stacks" }] : [];
  return [...tops.map(single), ...folded, ...nodes.filter((node) => node.called !== null).map(single)];
}

/** Rows from the bottom up, at most `most`; what was opened (by a row's key) is not folded. */
export function stackRows(bottom: readonly StackNode[], opened: ReadonlySet<string>, most: number): StackRows {
  const rows: StackRow[] = [];
  let nLeftOut = 0;
  const agenda: (Piece & { depth: number; from: number | null })[] = [];
  const branch = (nodes: readonly StackNode[], depth: number, from: number | null) =>
    agenda.push(
      ...branchesOf(nodes, opened)
        .map((piece) => ({ ...piece, depth, from }))
        .reverse(),
    );
  branch(bottom, 0, null);
  for (let task = agenda.pop(); task; task = agenda.pop()) {
    const { depth } = task;
    let { from } = task;
    const run = task.folds ? task.nodes : runFrom(task.nodes[0] as StackNode);
    for (const piece of task.folds ? [task] : piecesOf(run, opened)) {
      if (rows.length >= most) nLeftOut += piece.nodes.length;
      else from = rows.push({ key: piece.key, nodes: piece.nodes, folds: piece.folds, depth, from }) - 1;
    }
    const above = task.folds ? [] : (run.at(-1) as StackNode).above;
    branch(above, depth + (above.length > 1 ? 1 : 0), from);
  }
  return { rows, nLeftOut };
}
