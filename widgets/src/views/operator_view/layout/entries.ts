// The mask entries that belong to a line of the tree of operators. Pure. Mirror of xg2lab/lab/trace/entries.py.
//
// An entry is of a state of a rule, an operator is a place in the expanded tree: the same text at each call of a rule. So a line has the
// entries of all states that read its text; in an instance of a template, of those that were made from its own argument or from none.
import type { MaskEntry, Program, Step, Trace } from "../../../wire";
import { isInstance, type Maker, makerOf, ownGrammar } from "../../cache_view/layout";
import type { Operator } from "./operators";

/** What stands beside a line: `makers` in the order of `MAKERS`, `hits` and `us` of all its entries. */
export interface LineEntries {
  entries: readonly MaskEntry[];
  makers: readonly Maker[];
  hits: number;
  us: number;
}

/** The entries that steps up to the cursor used, each with its newest figures. */
export function entriesUntil(steps: readonly Step[], cursor: number): MaskEntry[] {
  const newest = new Map<string, MaskEntry>();
  for (const step of steps.slice(0, cursor + 1))
    for (const entry of step.entries) newest.set(`${entry.state} ${entry.counts ?? ""}`, entry);
  return [...newest.values()].sort((a, b) => a.state - b.state);
}

const reads = (program: Program, entry: MaskEntry, { span: [begin, end], madeFrom }: Operator): boolean => {
  const state = program.states[entry.state];
  if (!state?.spans.some(([b, e]) => b < end && begin < e)) return false;
  return state.argument === undefined || state.argument === madeFrom;
};

/** Answers for the lines in sight; a line that was asked for before has the same object. */
export class EntryBook {
  readonly #entries: readonly MaskEntry[];
  readonly #known = new Map<number, LineEntries | null>();
  readonly #own: number | null;
  readonly #ofTemplate: boolean;
  constructor(
    readonly trace: Trace,
    cursor: number,
  ) {
    this.#entries = entriesUntil(trace.steps, cursor);
    this.#own = ownGrammar(trace);
    this.#ofTemplate = isInstance(trace);
  }
  /** Null for an operator that reads nothing itself, and while none of its entries was used. */
  of(one: Operator): LineEntries | null {
    if (one.kind !== "Write" && one.kind !== "Wait") return null;
    const known = this.#known.get(one.number);
    if (known !== undefined) return known;
    const entries = this.#entries.filter((entry) => reads(this.trace.program, entry, one));
    const sum = (of: (entry: MaskEntry) => number) => entries.reduce((all, entry) => all + of(entry), 0);
    const makers = [...new Set(entries.map((entry) => makerOf(entry, this.#own, this.#ofTemplate)))].sort();
    const found = { entries, makers, hits: sum((entry) => entry.hits), us: sum((entry) => entry.build_us) };
    this.#known.set(one.number, entries.length > 0 ? found : null);
    return entries.length > 0 ? found : null;
  }
}
