// The derivation tree of what was written, read off the chart as the page draws it: twin of xg2lab/lab/trace/derivation.py. Pure.
//
// IDEA  Each item says what made it, so a tree is read backwards: from an item to the one it came from, and into what it completed.
//       A text that is no sentence yet has an open tree: the innermost item, and round it each item that waits for its rule.
//       A branch reads its parts when they are asked for: of a long text only what is drawn is read.
//
// COST  O(parts) a branch that is looked into, once.
import { edgesFrom } from "../../../trace";
import type { ChartItem, ChartWay, Trace } from "../../../wire";
import { COMPLETE, PREDICT, SCAN } from "../../../wire";
import { outputBytes } from "../layout/chart";

export type At = readonly [column: number, index: number];
/** A run of bytes, which one branch read itself. */
export interface Leaf {
  key: string;
  begin: number;
  end: number;
  item: At;
}
export type Part = Branch | Leaf;
export const isBranch = (part: Part): part is Branch => part instanceof Branch;

const MOST_SAID = 4;

/** A rule and what it matched; `end` is null while it is open, `item` is null for a rule that matched nothing. */
export class Branch {
  nOtherWays = 0;
  readonly otherWays: string[] = [];
  /** the open branch in it */
  inside: Branch | null = null;
  #parts: Part[] | null = null;
  constructor(
    private readonly reader: Reader,
    readonly rule: number,
    readonly begin: number,
    readonly end: number | null,
    readonly item: At | null,
    readonly depth: number,
    /** the same for the same branch of later steps */
    readonly key: string,
  ) {}

  get name(): string {
    return this.reader.trace.program.rules[this.rule]?.name ?? "?";
  }
  /** what the innermost open rule waits for */
  get after(): string {
    const open = this.end === null && !this.inside && this.item;
    return open ? (this.reader.trace.program.states[this.reader.row(open)[0]]?.after ?? "") : "";
  }
  get parts(): readonly Part[] {
    if (!this.#parts) {
      this.#parts = this.item ? this.reader.parts(this.item, this) : [];
      if (this.item) this.reader.tellWays(this, this.#parts);
      if (this.inside) this.#parts.push(this.inside);
    }
    return this.#parts;
  }
  get nWays(): number {
    this.parts;
    return 1 + this.nOtherWays;
  }
  get also(): readonly string[] {
    this.parts;
    return this.otherWays;
  }
}

/** The tree of the first `column` bytes; null where the chart was not recorded that far. */
export function derivation(trace: Trace, column: number): Branch | null {
  const items = trace.chart.columns[column];
  if (!items || items.length === 0) return null;
  const reader = new Reader(trace);
  const root = trace.program.rules[0]?.id;
  const whole = items.flatMap(([state, origin], index): At[] => {
    const { accepting, rule } = trace.program.states[state] ?? {};
    return origin === 0 && accepting && rule === root ? [[column, index]] : [];
  });
  if (!whole[0]) return reader.openTree(column);
  const tree = reader.branch(whole[0], false, 0);
  tree.parts; // its own ways come first
  tree.nOtherWays += whole.length - 1;
  for (const other of whole.slice(1)) tree.otherWays.push(reader.said(reader.parts(other, null)));
  return tree;
}

class Reader {
  readonly output: readonly number[];
  readonly #ways: ReadonlyMap<string, readonly number[]>;
  constructor(readonly trace: Trace) {
    this.output = outputBytes(trace.steps);
    this.#ways = new Map(trace.chart.ways?.map((row) => [`${row[0]}:${row[1]}`, row]));
  }
  row([column, index]: At): ChartItem {
    return this.trace.chart.columns[column]?.[index] as ChartItem;
  }
  ruleOf(at: At): number {
    return this.trace.program.states[this.row(at)[0]]?.rule ?? 0;
  }
  branch(at: At, isOpen: boolean, depth: number): Branch {
    const rule = this.ruleOf(at);
    const begin = this.row(at)[1];
    return new Branch(this, rule, begin, isOpen ? null : at[0], at, depth, `${depth}.${begin}.${rule}`);
  }

  openTree(column: number): Branch {
    const items = this.trace.chart.columns[column] as ChartItem[];
    const { states, rules } = this.trace.program;
    const starts = new Set(rules.map((rule) => rule.start));
    const all = items.map((_, index) => index);
    const origin = (index: number) => items[index]?.[1] ?? 0;
    const moved = all.filter((index) => !starts.has(items[index]?.[0] ?? -1));
    const underWay = moved.filter((index) => states[items[index]?.[0] ?? -1]?.after);
    const among = [underWay, moved, all].find((some) => some.length > 0) as number[];
    const line: At[] = [];
    const innermost = among.reduce((best, index) => (origin(index) > origin(best) ? index : best));
    for (let here: At | null = [column, innermost]; here; here = this.#waiting(here)) line.unshift(here);
    const branches = line.map((at, depth) => this.branch(at, true, depth));
    branches.forEach((branch, depth) => {
      branch.inside = branches[depth + 1] ?? null;
    });
    return branches[0] as Branch;
  }

  /** What an item has matched; `way` replaces its own last step. */
  parts(at: At, parent: Branch | null, way = this.row(at).slice(2) as unknown as ChartWay): Part[] {
    const out: Part[] = [];
    const depth = (parent?.depth ?? 0) + 1;
    if (way[0] !== SCAN && way[0] !== COMPLETE) return out;
    const add = (place: At, step: ChartWay) => {
      const last = out.at(-1);
      const part = this.#part(place, step, depth, out.length);
      if (last && !isBranch(last) && !isBranch(part)) [last.end, last.item] = [part.end, part.item];
      else out.push(part);
    };
    for (const place of this.#walk([way[1], way[2]])) add(place, this.row(place).slice(2) as unknown as ChartWay);
    add(at, way);
    return out;
  }

  #part(at: At, [op, column, index, childColumn, childIndex]: ChartWay, depth: number, nth: number): Part {
    if (op !== COMPLETE) return { key: `${depth}.${column}`, begin: column, end: at[0], item: at };
    if (childIndex >= 0) return this.branch([childColumn, childIndex], false, depth);
    const { program } = this.trace;
    const to = this.row(at)[0];
    const isOver = (rule: number | null) => rule !== null && program.rules[rule]?.nullable;
    const over = edgesFrom(program, this.row([column, index])[0]).find((e) => e.to === to && isOver(e.rule))?.rule ?? 0;
    return new Branch(this, over, at[0], at[0], null, depth, `${depth}.${at[0]}.${over}.${nth}`);
  }

  /** The other ways of a branch's items; where only a child was read otherwise, they are the child's. */
  tellWays(branch: Branch, parts: readonly Part[]): void {
    if (this.#ways.size === 0) return;
    for (const at of this.#walk(branch.item as At)) {
      const row = this.#ways.get(at.join(":"));
      if (!row) continue;
      const [, , , column, index, ...own] = this.row(at);
      const child = parts.filter(isBranch).find((part) => part.item?.join(":") === own.join(":"));
      branch.nOtherWays += row[2] as number;
      for (let k = 3; k < row.length; k += 5) {
        const way = row.slice(k, k + 5) as unknown as ChartWay;
        const other: At = [way[3], way[4]];
        const isChilds = way[1] === column && way[2] === index && other[1] >= 0;
        if (child && isChilds && this.ruleOf(other) === child.rule) {
          child.nOtherWays++;
          child.otherWays.push(this.said(this.parts(other, null)));
          branch.nOtherWays--;
        } else branch.otherWays.push(this.said(this.parts(at, null, way)));
      }
    }
  }

  /** The items of a match, each from the one before it by its first way; the last is `at`. */
  #walk(at: At): At[] {
    const out: At[] = [];
    for (let here = at, row = this.row(at); row[2] === SCAN || row[2] === COMPLETE; row = this.row(here)) {
      out.push(here);
      here = [row[3], row[4]];
    }
    return out.reverse();
  }
  #waiting(at: At): At | null {
    let row = this.row(at);
    while (row[2] === SCAN || row[2] === COMPLETE) row = this.row([row[3], row[4]]);
    return row[2] === PREDICT ? [row[3], row[4]] : null;
  }

  text({ begin, end }: { begin: number; end: number }): string {
    return decoded(this.output.slice(begin, end));
  }
  /** A reading in words, its last parts. */
  said(parts: readonly Part[]): string {
    const words = parts
      .slice(-MOST_SAID)
      .map((part) => (isBranch(part) ? `${part.name} ${part.begin}-${part.end}` : JSON.stringify(this.text(part))));
    return [...(parts.length > MOST_SAID ? ["…"] : []), ...words].join(" + ");
  }
}

/** Other ways of an item, in words; how many there are. */
export function waysSaid(trace: Trace, at: At): { n: number; also: string[] } {
  const reader = new Reader(trace);
  const row = trace.chart.ways?.find(([column, index]) => column === at[0] && index === at[1]) ?? [];
  const also: string[] = [];
  for (let k = 3; k < row.length; k += 5)
    also.push(reader.said(reader.parts(at, null, row.slice(k, k + 5) as unknown as ChartWay)));
  return { n: row[2] ?? 0, also };
}

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Bytes as text; what is no UTF-8 as \xNN, as Python's "backslashreplace" has it. */
export function decoded(bytes: readonly number[]): string {
  const decode = (some: readonly number[]) => {
    try {
      return DECODER.decode(new Uint8Array(some));
    } catch {
      return null;
    }
  };
  const all = decode(bytes);
  if (all !== null) return all;
  let out = "";
  for (let k = 0; k < bytes.length; ) {
    const byte = bytes[k] as number;
    const n = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    const character = k + n <= bytes.length ? decode(bytes.slice(k, k + n)) : null;
    out += character ?? `\\x${byte.toString(16).padStart(2, "0")}`;
    k += character === null ? 1 : n;
  }
  return out;
}
