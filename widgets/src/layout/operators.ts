// The tree of operators as lines, and what is lit in it at a step. Pure.
//
// Operators are numbered depth first, so a subtree is a range of numbers. Mirror of the words in xg2lab/lab/operators.py.
import { fromHex } from "../trace";
import type { MaskEntry, Program, State, Step } from "../wire";
import type { ActiveOperators, OperatorKind, WireOperators } from "../wire_operators";

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
  /** of a part of an IfElse: which branch it is, from 1; of an IfElse: how many it has */
  branch: number;
  nBranches: number;
  least: number | null;
  most: number | null;
  slot: string | null;
  /** of a slot, or of the element of a list that this is the first line of */
  argument: string | null;
  data: readonly number[] | null;
  nBytes: number;
}

export function operatorsOf(tree: WireOperators): Operator[] {
  const out: Operator[] = [];
  for (const [number, row] of tree.rows.entries()) {
    const [kind, parent, rule, begin, end, label, least, most, slot, argument, data, nBytes] = row;
    const above = out[parent];
    if (above) above.nBranches++;
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
      branch: above?.kind === "IfElse" ? above.nBranches : 0,
      nBranches: 0,
      least,
      most,
      slot,
      argument: isInherited ? null : argument,
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

/** Which repetition runs, of how many; empty for `*`, `+` and `?`, which don't count. */
export function countWords(one: Pick<Operator, "least" | "most">, low: number, high: number): string {
  const [least, most] = [one.least ?? 0, one.most];
  if ((most === null && least <= 1) || (least === 0 && most === 1)) return "";
  const running = low === high ? `${low}` : `${low}–${high}`;
  return `${running} of ${most === null ? `${least} or more` : least === most ? least : `${least}–${most}`}`;
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
  const said = new Map<number, string>();
  const counts = new Map<number, [low: number, high: number]>();
  const taken = new Map<number, Set<number>>();
  for (const { operator, n_written, counts: own, watched } of active?.at ?? []) {
    leaves.add(operator);
    written.set(operator, Math.max(n_written, written.get(operator) ?? 0));
    if (watched) said.set(operator, `${watched.length / 2} bytes of a tag read`);
    for (const [loop, low, high] of own) {
      const known = counts.get(loop) ?? [low, high];
      counts.set(loop, [Math.min(low, known[0]), Math.max(high, known[1])]);
    }
    for (let at = operators[operator]; at && !path.has(at.number); at = operators[at.parent]) {
      path.add(at.number);
      if (at.branch > 0) taken.set(at.parent, (taken.get(at.parent) ?? new Set()).add(at.branch));
    }
  }
  for (const [loop, [low, high]] of counts) {
    const words = countWords(operators[loop] as Operator, low, high);
    if (words) said.set(loop, words);
  }
  for (const [number, branches] of taken) {
    const which = [...branches].sort((a, b) => a - b).join(", ");
    said.set(number, `branch${branches.size > 1 ? "es" : ""} ${which} of ${operators[number]?.nBranches}`);
  }
  for (const [number, n] of written) {
    if (n > 0) said.set(number, `${n} of ${operators[number]?.nBytes} bytes`);
  }
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

/** Where an operator stands in the program: the smallest state round its place, one of its own rule if there is one. */
export function placeOf(program: Program, one: Operator): { rule: number | null; state: number | null } {
  const own = program.rules.find((rule) => rule.name === one.rule) ?? null;
  const [begin] = one.span;
  let best: State | null = null;
  let rank: [isOther: boolean, size: number] = [true, Infinity];
  for (const state of program.states) {
    for (const [b, e] of state.spans) {
      if (begin < b || begin >= e) continue;
      const isOther = state.rule !== own?.id;
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

/** The mask entry of a step that an active operator's place has, if there is exactly one. */
export function entryOf(program: Program, step: Step, one: Operator): MaskEntry | null {
  const [begin, end] = one.span;
  const found = step.entries.filter((entry) =>
    program.states[entry.state]?.spans.some(([b, e]) => b < end && begin < e),
  );
  return found.length === 1 ? (found[0] as MaskEntry) : null;
}

/** The lines of a list that are drawn: those in sight, and some round them. */
export function linesInSight(
  n: number,
  height: number,
  row: number,
  top: number,
  more = 12,
): [first: number, last: number] {
  const first = Math.max(0, Math.min(n, Math.floor(top / row) - more));
  return [first, Math.min(n, Math.ceil((top + height) / row) + more)];
}

/** A run of tokens whose first bytes one operator took; writer null: one of several did, and nothing says which. */
export interface Segment {
  first: number;
  last: number;
  writer: number | null;
  nOthers: number;
  /** its last token goes on in the next operator */
  crosses: boolean;
}
/** What took a token's first byte: the one Write that has that byte next, else the one that is no Write. */
function writerOf(
  operators: readonly Operator[],
  step: Step,
  isDeterministic: boolean,
): Omit<Segment, "first" | "last"> {
  const unknown = (nOthers: number) => ({ writer: null, nOthers, crosses: false });
  if (!step.operators || step.operators.n > step.operators.at.length) return unknown(step.operators?.n ?? 0);
  const bytes = fromHex(step.bytes);
  const rest = new Map<number, number>(); // of a Write: bytes that are left
  const others = new Set<number>();
  for (const { operator, n_written } of step.operators.at) {
    const one = operators[operator] as Operator;
    if (one.data === null || n_written >= one.data.length) others.add(operator);
    else if (one.data[n_written] === bytes[0]) rest.set(operator, one.nBytes - n_written);
  }
  const [write] = rest;
  if (write && rest.size === 1 && (isDeterministic || others.size === 0))
    return { writer: write[0], nOthers: 0, crosses: bytes.length > write[1] };
  const [other] = others;
  if (other !== undefined && rest.size === 0 && others.size === 1) return { writer: other, nOthers: 0, crosses: false };
  return unknown(rest.size + others.size);
}

/** Decided steps, cut where another operator wrote; first and last are indices into `steps`. */
export function segmentsOf(
  operators: readonly Operator[],
  steps: readonly Step[],
  isDeterministic: boolean,
): Segment[] {
  const out: Segment[] = [];
  for (const [k, step] of steps.entries()) {
    if (step.kind === null || step.n_bytes === 0) continue;
    const wrote = writerOf(operators, step, isDeterministic);
    const before = out.at(-1);
    const joins =
      before && before.last === k - 1 && wrote.writer !== null && before.writer === wrote.writer && !before.crosses;
    if (joins) Object.assign(before, { last: k, crosses: wrote.crosses });
    else out.push({ first: k, last: k, ...wrote });
  }
  return out;
}

/** How many tokens were written, and of how many the model had no choice: all of a text that must follow, or one token alone allowed. */
export function shareOf(steps: readonly Step[]): { n: number; jumped: number; forced: number } {
  const of = (kind: Step["kind"]) => steps.filter((step) => step.kind === kind).length;
  return {
    n: steps.filter((step) => step.kind !== null).length,
    jumped: of("jump_forward"),
    forced: of("forced_by_grammar"),
  };
}
