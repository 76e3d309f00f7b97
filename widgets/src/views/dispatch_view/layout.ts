// How far a tag dispatch has read its triggers, byte by byte, and its Aho–Corasick automaton as a
// tree. Pure: a trace in, facts out.
//
// A column of the chart holds the dispatch's own item while it watches (dispatching); in a rule
// that a trigger opened it does not (dispatched). A byte arms when it is the first of a trigger,
// breaks when what was read goes on otherwise, fires when it is the last.
import { byteText } from "../../text";
import type { DispatchPlace, Program, Rule, Trace, WatchedText } from "../../wire";
import { outputBytes } from "../chart_view/layout/chart";

export interface TrieNode {
  id: number;
  parent: number;
  byte: number;
  depth: number;
  /** the longest shorter end of what was read that is a node too */
  failure: number;
  /** the text that ends here */
  text: number | null;
}
export interface Trie {
  nodes: TrieNode[];
  bytes: Uint8Array[];
  /** by parent and byte */
  children: Map<number, TrieNode>;
}

const edge = (parent: number, byte: number): number => parent * 256 + byte;

export function trieOf(texts: readonly WatchedText[]): Trie {
  const bytes = texts.map(({ text }) => new TextEncoder().encode(text));
  const children = new Map<number, TrieNode>();
  const nodes: TrieNode[] = [{ id: 0, parent: 0, byte: 0, depth: 0, failure: 0, text: null }];
  bytes.forEach((data, text) => {
    let at = 0;
    data.forEach((byte, k) => {
      let next = children.get(edge(at, byte));
      if (!next) {
        next = { id: nodes.length, parent: at, byte, depth: k + 1, failure: 0, text: null };
        nodes.push(next);
        children.set(edge(at, byte), next);
      }
      at = next.id;
    });
    if (at > 0) (nodes[at] as TrieNode).text = text;
  });
  for (const node of [...nodes].sort((a, b) => a.depth - b.depth)) {
    if (node.depth < 2) continue;
    let at = nodes[node.parent]?.failure ?? 0;
    let next = children.get(edge(at, node.byte));
    while (!next && at > 0) {
      at = nodes[at]?.failure ?? 0;
      next = children.get(edge(at, node.byte));
    }
    node.failure = next?.id ?? 0;
  }
  return { nodes, bytes, children };
}

export function nodeAt(trie: Trie, place: DispatchPlace): number {
  let at = 0;
  for (const byte of trie.bytes[place.text]?.slice(0, place.n_read) ?? [])
    at = trie.children.get(edge(at, byte))?.id ?? at;
  return at;
}

/** The texts that begin with what was read; none where nothing was. */
export function textsBegun(trie: Trie, place: DispatchPlace | null): number[] {
  const read = place && place.n_read > 0 ? trie.bytes[place.text]?.slice(0, place.n_read) : null;
  return read ? trie.bytes.flatMap((data, k) => (read.every((byte, i) => data[i] === byte) ? [k] : [])) : [];
}
/** The bytes with which what was read goes on to more of a text. */
export const nextBytes = (trie: Trie, node: number): number[] =>
  trie.nodes.filter((child) => child.id > 0 && child.parent === node).map((child) => child.byte);

/** A set of bytes, in order: three or more that follow each other are a range, `0–9`. */
export function byteRuns(bytes: readonly number[]): string[] {
  const runs: [first: number, last: number][] = [];
  for (const byte of [...new Set(bytes)].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && byte === run[1] + 1) run[1] = byte;
    else runs.push([byte, byte]);
  }
  return runs.flatMap(([first, last]) =>
    last - first > 1
      ? [`${byteText(first)}–${byteText(last)}`]
      : first === last
        ? [byteText(first)]
        : [byteText(first), byteText(last)],
  );
}
/**
 * Which bytes continue the text that was read, in words. The list names all of them, or says how
 * many runs it leaves out.
 */
export function continuedBy(trie: Trie, node: number, most = 12): string {
  const runs = byteRuns(nextBytes(trie, node));
  const left = runs.length - most;
  return left > 0 ? `${runs.slice(0, most).join(", ")}, or one of ${left} more bytes or ranges` : runs.join(" or ");
}

/** What a node stands for: the longest end of what was read that begins a text. */
export function readAt(trie: Trie, id: number): number[] {
  const out: number[] = [];
  for (let node = trie.nodes[id]; node && node.id > 0; node = trie.nodes[node.parent]) out.unshift(node.byte);
  return out;
}

export interface PlacedNode extends TrieNode {
  x: number;
  y: number;
}
/** Depth to the right, a row a leaf; null where there are more nodes than can be told apart. */
export function trieLayout(trie: Trie, width: number): { nodes: PlacedNode[]; height: number; step: number } | null {
  const deepest = Math.max(1, ...trie.nodes.map((node) => node.depth));
  const step = Math.min(34, (width - 40) / deepest);
  if (trie.nodes.length > 60 || step < 15) return null;
  const rows = new Map<number, number>();
  let row = 0;
  const visit = (id: number): number => {
    const children = trie.nodes.filter((node) => node.id > 0 && node.parent === id);
    const at = children.map((child) => visit(child.id))[0] ?? row++;
    rows.set(id, at);
    return at;
  };
  visit(0);
  const nodes = trie.nodes.map((node) => ({
    ...node,
    x: 16 + node.depth * step,
    y: 18 + (rows.get(node.id) ?? 0) * 28,
  }));
  return { nodes, height: row * 28 + 8, step };
}

export type DispatchEvent = "arms" | "breaks" | "fires";
/** The state after `at` bytes; `byte` is the last of them. */
export interface Reading {
  at: number;
  byte: number | null;
  dispatching: boolean;
  dispatched: boolean;
  place: DispatchPlace | null;
  event: DispatchEvent | null;
}

export const dispatchRule = (program: Program, live: readonly { rule: number }[] = []): Rule | null =>
  live.map((item) => program.rules[item.rule]).findLast((rule) => rule?.dispatch) ??
  program.rules.find((rule) => rule.dispatch) ??
  null;

/** The rules that a rule calls, and those that they call. */
function rulesBelow(program: Program, rule: Rule): Set<number> {
  const below = new Set<number>();
  const ahead = [rule.id];
  for (let from = ahead.pop(); from !== undefined; from = ahead.pop())
    for (const edge of program.edges)
      if (edge.rule !== null && program.states[edge.from]?.rule === from && !below.has(edge.rule)) {
        below.add(edge.rule);
        ahead.push(edge.rule);
      }
  return below;
}

export function readingsOf(trace: Trace, rule: Rule): Reading[] {
  const bytes = outputBytes(trace.steps);
  const opened = rulesBelow(trace.program, rule);
  const out: Reading[] = [];
  let hasFired = false;
  for (const [at, column] of trace.chart.columns.entries()) {
    const before = out.at(-1)?.place ?? null;
    const places = column
      .map(([state]) => trace.program.states[state])
      .filter((state) => state?.rule === rule.id)
      .flatMap((state) => (state?.dispatch ? [state.dispatch] : []));
    const fired = places.find((place) => place.mode === "dispatched") ?? null;
    const watching = places.findLast((place) => place.mode === "dispatching") ?? null;
    const inBody = column.some(([id]) => {
      const state = trace.program.states[id];
      return state && opened.has(state.rule) && (state.scannable || !state.accepting);
    });
    hasFired ||= fired !== null;
    const wasRead = before?.mode === "dispatching" ? before.n_read : 0;
    const read = watching?.n_read ?? 0;
    const event =
      at === 0
        ? null
        : fired
          ? "fires"
          : wasRead > 0 && read <= wasRead
            ? "breaks"
            : read > 0 && wasRead === 0
              ? "arms"
              : null;
    out.push({
      at,
      byte: at > 0 ? (bytes[at - 1] ?? null) : null,
      dispatching: watching !== null,
      dispatched: hasFired && inBody,
      place: fired ?? watching,
      event,
    });
  }
  return out;
}

export interface TextTally {
  armed: number;
  broken: number;
  fired: number;
  brokenBy: number | null;
}
/**
 * Of each text: how often a byte began it, how often one broke it off, how often its last one
 * came.
 */
export function talliesOf(trie: Trie, readings: readonly Reading[]): TextTally[] {
  const tallies = trie.bytes.map((): TextTally => ({ armed: 0, broken: 0, fired: 0, brokenBy: null }));
  let before = new Set<number>();
  readings.forEach((reading, k) => {
    const now = new Set(textsBegun(trie, reading.place));
    const grew = (reading.place?.n_read ?? 0) > (readings[k - 1]?.place?.n_read ?? 0);
    tallies.forEach((tally, text) => {
      const goesOn = now.has(text) && grew;
      if (reading.place?.mode === "dispatched" && reading.place.text === text) tally.fired++;
      if (now.has(text) && !(before.has(text) && grew)) tally.armed++;
      if (before.has(text) && !goesOn) {
        tally.broken++;
        tally.brokenBy = reading.at - 1;
      }
    });
    before = reading.place?.mode === "dispatched" ? new Set() : now;
  });
  return tallies;
}
