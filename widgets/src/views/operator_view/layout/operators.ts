// The tree of operators as lines, and what is lit in it at a step. Pure.
//
// Operators are numbered depth first, so a subtree is a range of numbers.
import { fromHex } from "../../../trace";
import type { ActiveOperators, OperatorKind, Program, State, Step, WireOperators } from "../../../wire";

export interface Operator {
  number: number;
  kind: OperatorKind;
  /** the label without its kind */
  text: string;
  rule: string;
  span: readonly [begin: number, end: number];
  parent: number;
  depth: number;
  /** the first number after the subtree */
  end: number;
  least: number | null;
  most: number | null;
  slot: string | null;
  /** of a slot, or of the element of a list that this is the first line of */
  argument: string | null;
  /** the argument, or else the element, that it was made from */
  madeFrom: string | null;
  data: readonly number[] | null;
  nBytes: number;
}

const made = new WeakMap<WireOperators, readonly Operator[]>();
/** The operators of a tree by number; all views of a page have the same. */
export function operatorsOf(tree: WireOperators): readonly Operator[] {
  const known = made.get(tree) ?? readOperators(tree);
  made.set(tree, known);
  return known;
}

function readOperators(tree: WireOperators): Operator[] {
  const out: Operator[] = [];
  for (const [number, row] of tree.rows.entries()) {
    const [kind, parent, rule, begin, end, label, least, most, slot, argument, data, nBytes] = row;
    const above = out[parent];
    const isInherited = slot === null && argument !== null && tree.rows[parent]?.[9] === argument;
    out.push({
      number,
      kind,
      text: label.slice(kind.length).trimStart(),
      rule: tree.rules[rule] as string,
      span: [begin, end],
      parent,
      depth: above ? above.depth + 1 : 0,
      end: number + 1,
      least,
      most,
      slot,
      argument: isInherited ? null : argument,
      madeFrom: argument,
      data: data === null ? null : fromHex(data),
      nBytes: nBytes ?? 0,
    });
  }
  for (const one of [...out].reverse()) {
    const above = out[one.parent];
    if (above) above.end = Math.max(above.end, one.end);
  }
  return out;
}

export interface Lit {
  /** the first that is active; null: none is */
  first: number | null;
  leaves: ReadonlySet<number>;
  /** all that an active one is part of, and it */
  path: ReadonlySet<number>;
  /** of a Write: how many bytes are written, the most of its positions */
  written: ReadonlyMap<number, number>;
  /** words beside a line: repetitions, branches taken, the bytes of a tag that were read */
  said: ReadonlyMap<number, string>;
}

export function litOf(operators: readonly Operator[], active: ActiveOperators | null): Lit {
  const leaves = new Set<number>();
  const path = new Set<number>();
  const written = new Map<number, number>();
  for (const { operator, n_written } of active?.at ?? []) {
    leaves.add(operator);
    written.set(operator, Math.max(n_written, written.get(operator) ?? 0));
    for (let at = operators[operator]; at && !path.has(at.number); at = operators[at.parent]) path.add(at.number);
  }
  const said = new Map(Object.entries(active?.said ?? {}).map(([number, words]) => [Number(number), words]));
  return { first: leaves.size > 0 ? Math.min(...leaves) : null, leaves, path, written, said };
}

const decodable = (bytes: readonly number[]): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(bytes));
  } catch {
    return null;
  }
};
const QUOTED: Record<string, string> = { '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r" };
const quoted = (text: string) => text.replace(/["\n\t\r]/g, (c) => QUOTED[c] as string);

/** Bytes as they stand between quotes, cut after `n` of them; a character that is begun belongs to what is to come. */
export function writtenRuns(bytes: readonly number[], n: number): [done: string, rest: string] {
  let at = Math.min(n, bytes.length);
  while (at > 0 && at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at--;
  const shown = (part: readonly number[]) => {
    const text = decodable(part);
    if (text !== null) return quoted(text);
    return part
      .map((b) => (b > 0x1f && b < 0x7f ? quoted(String.fromCharCode(b)) : `\\x${b.toString(16).padStart(2, "0")}`))
      .join("");
  };
  return [shown(bytes.slice(0, at)), shown(bytes.slice(at))];
}

/** The step at which an operator became active: of the run of steps up to the cursor in which it was, the first. */
export function activeSince(steps: readonly Step[], one: Operator, cursor: number): number | null {
  const isActive = (step: Step | undefined) =>
    step?.operators?.at.some(({ operator }) => one.number <= operator && operator < one.end) ?? false;
  let at = Math.min(cursor, steps.length - 1);
  while (at >= 0 && !isActive(steps[at])) at--;
  if (at < 0) {
    const later = steps.findIndex(isActive);
    return later < 0 ? null : later;
  }
  while (at > 0 && isActive(steps[at - 1])) at--;
  return at;
}

/** Where an operator stands in the program: the smallest state round its place, one made from its own argument if there is one, else of its own rule. */
export function placeOf(program: Program, one: Operator): { rule: number | null; state: number | null } {
  const own = program.rules.find((rule) => rule.name === one.rule) ?? null;
  const [begin] = one.span;
  let best: State | null = null;
  let rank: [isOther: number, size: number] = [3, Infinity];
  for (const state of program.states) {
    for (const [b, e] of state.spans) {
      if (begin < b || begin >= e) continue;
      const isMade = state.argument !== undefined && state.argument === one.madeFrom;
      const isOther = isMade ? 0 : state.argument !== undefined ? 3 : state.rule === own?.id ? 1 : 2;
      if (isOther > rank[0] || (isOther === rank[0] && e - b >= rank[1])) continue;
      best = state;
      rank = [isOther, e - b];
    }
  }
  const known = best?.rule ?? own?.id ?? null;
  return {
    rule: known ?? program.rules.find(({ span: [b, e] }) => b <= begin && begin < e)?.id ?? null,
    state: best?.id ?? null,
  };
}

/** Rows at once more than there is room for: the window moves by so many. */
const BLOCK = 8;
/** The first of the lines of a list that are drawn. It moves by whole blocks, so most scrolls of a few pixels leave the drawing as it is. */
export function firstLine(n: number, height: number, row: number, top: number): number {
  const first = BLOCK * (Math.floor(top / row / BLOCK) - 1);
  return Math.max(0, Math.min(first, n - nLines(n, height, row)));
}
/** How many are drawn: as many wherever the list stands, so that the same elements serve for all of it. */
export const nLines = (n: number, height: number, row: number): number =>
  Math.min(n, Math.ceil(height / row) + 3 * BLOCK);
