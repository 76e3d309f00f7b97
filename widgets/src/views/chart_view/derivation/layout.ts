// The derivation tree of what was written, as the page draws it: along the arrows of the chart. Pure.
//
// IDEA  Python says where the tree of a step begins, which rules were stepped over, and what other ways of an item read
//       (xg2lab/lab/trace/derivation.py). The rest the chart says: each item came from another, over a byte or over what it completed.
//       A branch reads its parts when they are asked for: of a long text only what is drawn is read.
//
// COST  O(parts) a branch that is looked into, once.
import { type ChartItem, COMPLETE, SCAN, type Trace, type TreeRoot, type WaysRead } from "../../../wire";

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

/** The tree that begins there; null where the chart was not recorded that far. */
export function derivation(trace: Trace, root: TreeRoot | null | undefined): Branch | null {
  if (!root) return null;
  const reader = new Reader(trace);
  const branches = root.line.map((at, depth) => reader.branch(at, !root.is_whole, depth));
  branches.forEach((branch, depth) => {
    branch.inside = branches[depth + 1] ?? null;
  });
  const tree = branches[0] as Branch;
  tree.parts; // its own ways come first
  tree.nOtherWays += root.n_others;
  tree.otherWays.push(...root.also);
  return tree;
}

class Reader {
  readonly #over: ReadonlyMap<string, number>;
  readonly #ways: ReadonlyMap<string, WaysRead>;
  constructor(readonly trace: Trace) {
    const { stepped_over, ways_read } = trace.chart;
    this.#over = new Map(stepped_over?.map(([column, index, rule]) => [`${column}:${index}`, rule]));
    this.#ways = new Map(ways_read?.map((row) => [`${row[0]}:${row[1]}`, row]));
  }
  row([column, index]: At): ChartItem {
    return this.trace.chart.columns[column]?.[index] as ChartItem;
  }
  branch(at: At, isOpen: boolean, depth: number): Branch {
    const [state, begin] = this.row(at);
    const rule = this.trace.program.states[state]?.rule ?? 0;
    return new Branch(this, rule, begin, isOpen ? null : at[0], at, depth, `${depth}.${begin}.${rule}`);
  }

  /** What an item has matched: from the item where its rule began, each step over a byte or over a match. */
  parts(last: At, parent: Branch): Part[] {
    const line: At[] = [];
    for (let at = last, row = this.row(at); row[2] === SCAN || row[2] === COMPLETE; row = this.row(at)) {
      line.push(at);
      at = [row[3], row[4]];
    }
    const out: Part[] = [];
    for (const at of line.reverse()) {
      const part = this.#part(at, parent.depth + 1, out.length);
      const before = out.at(-1);
      if (before && !isBranch(before) && !isBranch(part)) [before.end, before.item] = [part.end, part.item];
      else out.push(part);
      const ways = this.#ways.get(at.join(":"));
      if (ways) this.#tellWays(ways, parent, part);
    }
    return out;
  }

  #part(at: At, depth: number, nth: number): Part {
    const [, , op, column, , childColumn, childIndex] = this.row(at);
    if (op !== COMPLETE) return { key: `${depth}.${column}`, begin: column, end: at[0], item: at };
    if (childIndex >= 0) return this.branch([childColumn, childIndex], false, depth);
    const over = this.#over.get(at.join(":")) ?? 0;
    return new Branch(this, over, at[0], at[0], null, depth, `${depth}.${at[0]}.${over}.${nth}`);
  }

  /** The other ways of a branch's item; where only its child was read otherwise, they are the child's. */
  #tellWays([, , n, ways]: WaysRead, branch: Branch, child: Part): void {
    branch.nOtherWays += n;
    for (const [item, childs] of ways) {
      const isChilds = childs !== null && isBranch(child);
      if (isChilds) [child.nOtherWays, branch.nOtherWays] = [child.nOtherWays + 1, branch.nOtherWays - 1];
      (isChilds ? child : branch).otherWays.push(isChilds ? childs : item);
    }
  }
}

/** Other ways of an item, in words; how many there are. */
export function waysSaid({ chart }: Trace, at: At): { n: number; also: string[] } {
  const row = chart.ways_read?.find(([column, index]) => column === at[0] && index === at[1]);
  return { n: row?.[2] ?? 0, also: row?.[3].map(([item]) => item) ?? [] };
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
