// How far a tag dispatch has read its triggers, byte by byte, and its Aho–Corasick automaton as a tree. Pure: a trace in, facts out.
//
// A column of the chart holds the dispatch's own item while it watches (dispatching); in a rule that a trigger opened it does not
// (dispatched). A byte arms when it is the first of a trigger, breaks when what was read goes on otherwise, fires when it is the last.
import { byteText, visible } from "../../text";
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
/** Which bytes continue the text that was read, in words. The list names all of them, or says how many runs it leaves out. */
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

/** A row of the automaton's table: nodes without a choice are one, `read` ends at the last of them. */
export interface NodeRow {
  id: number;
  next: number[];
}
/** The part of a large automaton that matters at a node: the way there, then what can still be read, the nearest first. */
export function rowsFrom(trie: Trie, at: number | null, most: number): { rows: NodeRow[]; way: number; left: number } {
  const children = new Map<number, number[]>();
  for (const { id, parent } of trie.nodes.slice(1)) children.set(parent, [...(children.get(parent) ?? []), id]);
  const next = (id: number) => children.get(id) ?? [];
  const row = (id: number): NodeRow => ({ id, next: next(id).map((child) => trie.nodes[child]?.byte ?? 0) });
  const way: number[] = [];
  for (let id = at ?? 0; id > 0; id = trie.nodes[id]?.parent ?? 0) way.unshift(id);
  const shown = [0, ...way].map(row);
  const ahead = [...next(at ?? 0)];
  let left = 0;
  for (let id = ahead.shift(); id !== undefined; id = ahead.shift()) {
    let end = id;
    while (next(end).length === 1 && trie.nodes[end]?.text === null) end = next(end)[0] as number;
    ahead.push(...next(end));
    if (shown.length < most) shown.push(row(end));
    else left++;
  }
  return { rows: shown, way: way.length + 1, left };
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

/** What a fired trigger leaves open at a byte: the tags of its rule that the output still can become, or has become. */
export interface TagsAt {
  trigger: string;
  all: readonly string[];
  /** with how many of its bytes were read */
  alive: readonly { tag: string; n_read: number; n_bytes: number }[];
  /** the tag that was read to its end, if no other is possible */
  inside: string | null;
  /** beginnings without a name that the output may have, such as a class */
  others: readonly string[];
}
const startsWith = (data: Uint8Array, beginning: Uint8Array): boolean =>
  data.length >= beginning.length && beginning.every((byte, k) => data[k] === byte);

export function tagsAt(trace: Trace, rule: Rule, readings: readonly Reading[], at: number): TagsAt | null {
  if (!readings[at]?.dispatched) return null;
  const fired = readings.slice(0, at + 1).findLast((reading) => reading.event === "fires");
  const trigger = fired?.place ? rule.dispatch?.texts[fired.place.text]?.text : undefined;
  const opened = trace.tags?.find((tags) => tags.rule === rule.id && tags.text === fired?.place?.text);
  if (!fired || trigger === undefined || !opened) return null;
  const encoder = new TextEncoder();
  const read = outputBytes(trace.steps).slice(fired.at - encoder.encode(trigger).length, at);
  const written = opened.begins.map((tag) => {
    const whole = tag.startsWith(trigger) ? tag : trigger + tag;
    return { tag: whole, bytes: encoder.encode(whole) };
  });
  const ahead = written.filter(({ bytes }) => bytes.length > read.length && startsWith(bytes, Uint8Array.from(read)));
  const over = written.filter(({ bytes }) => startsWith(Uint8Array.from(read), bytes));
  const ended = over.reduce<(typeof over)[0] | null>(
    (longest, one) => (longest && longest.bytes.length >= one.bytes.length ? longest : one),
    null,
  );
  const alive = [...(ended ? [ended] : []), ...ahead].map(({ tag, bytes }) => ({
    tag,
    n_read: Math.min(read.length, bytes.length),
    n_bytes: bytes.length,
  }));
  const first = read[encoder.encode(trigger).length];
  const others = (opened.others ?? [])
    .filter(
      ([, ranges]) =>
        first === undefined || ranges.length === 0 || ranges.some(([lo, hi]) => lo <= first && first <= hi),
    )
    .map(([said]) => said);
  return {
    trigger,
    others,
    all: written.map(({ tag }) => tag),
    alive,
    inside: ended && ahead.length === 0 ? ended.tag : null,
  };
}
/** The tags in a sentence: the named ones that are possible, and what a tag without a name begins with. */
export function tagsSaid({ trigger, all, alive, inside, others }: TagsAt, most = 3): string {
  const more = others.length > most ? ` or in ${others.length - most} other ways` : "";
  const unnamed = `${others.slice(0, most).join(", ")}${more}`;
  if (inside !== null)
    return others.length > 0
      ? `inside the tag ${visible(inside)}, or inside one that begins with ${unnamed}`
      : `inside the tag ${visible(inside)}`;
  const read = `${visible(trigger)} was read`;
  if (alive.length === 0 && others.length === 0) return `${read}, no tag begins like this`;
  if (alive.length === 0)
    return all.length === 0
      ? `${read}, a tag begins with ${unnamed}`
      : `${read}, none of ${all.length} named tags begins like this: it is one that begins with ${unnamed}`;
  const names = alive.slice(0, most).map(({ tag }) => visible(tag));
  const rest = alive.length > most ? ` and ${alive.length - most} more` : "";
  const named = `${read}, ${alive.length} of ${all.length} ${others.length > 0 ? "named " : ""}tags are possible: ${names.join(", ")}${rest}`;
  return others.length > 0 ? `${named}; so is one that begins with ${unnamed}` : named;
}

export interface TextTally {
  armed: number;
  broken: number;
  fired: number;
  brokenBy: number | null;
}
/** Of each text: how often a byte began it, how often one broke it off, how often its last one came. */
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
