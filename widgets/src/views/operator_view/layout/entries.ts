// The mask entries that belong to a line of the tree of operators, at the cursor. Pure.
//
// An entry is of a state of a rule, an operator is a place in the expanded tree: the same text at each call of a rule. Which states read a
// text the tree says; in an instance of a template, of those the ones that were made from the line's own argument or from none.

import { groupBy } from "../../../trace";
import type { Maker, MaskEntry, Trace } from "../../../wire";
import type { Operator } from "./operators";

/** What stands beside a line: `makers` in the order of `MAKERS`, `hits` and `us` of all its entries. */
export interface LineEntries {
  entries: readonly MaskEntry[];
  makers: readonly Maker[];
  hits: number;
  us: number;
}

/** Answers for the lines in sight; a line that was asked for before has the same object. */
export class EntryBook {
  /** those that steps up to the cursor used, each with its newest figures */
  readonly #used: ReadonlyMap<number, MaskEntry[]>;
  readonly #known = new Map<number, LineEntries | null>();
  readonly #readers: ReadonlyMap<string, readonly number[]>;
  constructor(
    readonly trace: Trace,
    cursor: number,
  ) {
    const newest = new Map<string, MaskEntry>();
    for (const step of trace.steps.slice(0, cursor + 1))
      for (const entry of step.entries) newest.set(`${entry.state} ${entry.counts ?? ""}`, entry);
    this.#used = groupBy([...newest.values()], (entry) => entry.state);
    const told = trace.operators;
    const readers = (told && "rows" in told && told.readers) || [];
    this.#readers = new Map(readers.map(([begin, end, states]) => [`${begin}:${end}`, states]));
  }
  /** Null for an operator that reads nothing itself, and while none of its entries was used. */
  of(one: Operator): LineEntries | null {
    if (one.kind !== "Write" && one.kind !== "Wait") return null;
    const known = this.#known.get(one.number);
    if (known !== undefined) return known;
    const { states } = this.trace.program;
    const entries = (this.#readers.get(one.span.join(":")) ?? []).flatMap((state) => {
      const argument = states[state]?.argument;
      return argument === undefined || argument === one.madeFrom ? (this.#used.get(state) ?? []) : [];
    });
    const sum = (of: (entry: MaskEntry) => number) => entries.reduce((all, entry) => all + of(entry), 0);
    const makers = [...new Set(entries.flatMap(({ maker }) => maker ?? []))].sort();
    const found = { entries, makers, hits: sum((entry) => entry.hits), us: sum((entry) => entry.build_us) };
    this.#known.set(one.number, entries.length > 0 ? found : null);
    return entries.length > 0 ? found : null;
  }
}
