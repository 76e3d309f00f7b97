// A column of the Earley chart filled by hand: each step is checked, a wrong one says which and why. Pure.
//
// IDEA  Earley's three verbs, one item at a time: `do` takes a verb and the item that it is done to, and puts all that it makes into the
//       column; `add` takes the item itself, and asks whether some verb makes it now. The recorded chart and the program judge, so a saved
//       notebook and an exported page need no kernel. An item of the column is known by its place in the engine's.
//
// HOW IT DIFFERS FROM THE ENGINE
//       The engine steps over a rule that may match nothing when it predicts it (Aycock and Horspool 2002) and never completes within a
//       column. Here the empty match is completed, as in a textbook, and again when another item begins to wait. Both reach the same items,
//       in any order. A recorded item does not say how often a repetition has matched: whether it may end, or go on, is judged by what the
//       column has.
//
// INVARIANTS  I1  what was found is a subset of the column.   I2  while something is missing, some verb makes some of it.
// Tests: tests/widgets/test_exercise.py, with a judge by definition and Earley's twin; widgets/test/exercise.test.ts.
import { edgesFrom } from "../../../trace";
import { type ChartItem, COMPLETE, type Edge, PREDICT, SCAN, START, type Trace } from "../../../wire";
import { outputBytes } from "../layout/chart";
import { NO_BYTE, NOTHING_MISSING, type PlacedItem, type Verb, Words } from "./words";

export const VERBS: readonly Verb[] = ["scan", "predict", "complete"];
const OPERATION: Record<Verb, number> = { scan: SCAN, predict: PREDICT, complete: COMPLETE };

export interface ExerciseAnswer {
  right: boolean;
  kind: string;
  reason: string;
  /** what was asked for, in words */
  asked: string;
  /** the item it was done to */
  item: PlacedItem | null;
}
/** What an operation makes, with the chart's arrow to it. */
interface Made extends PlacedItem {
  link: ChartItem;
}
interface Refusal {
  kind: string;
  reason: string;
}
const same = (a: PlacedItem, b: PlacedItem) => a.state === b.state && a.origin === b.origin && a.column === b.column;

export class ColumnExercise {
  readonly all: readonly PlacedItem[];
  readonly words: Words;
  readonly byte: number | null;
  /** places in the engine's column, in the order in which they were found, each with how it was made here */
  readonly found: Map<number, ChartItem> = new Map();
  /** items that are there from the beginning: those of the root rule in column 0 */
  readonly nGiven: number;
  readonly log: ExerciseAnswer[] = [];
  nHints = 0;
  nRevealed = 0;
  readonly #steps: number[][] = [];
  readonly #columns: readonly (readonly PlacedItem[])[];
  readonly #tokenBegins: ReadonlySet<number>;

  constructor(
    readonly trace: Trace,
    readonly column: number,
  ) {
    this.#columns = trace.chart.columns
      .slice(0, column + 1)
      .map((items, j) => items.map(([state, origin]) => ({ column: j, state, origin })));
    this.all = this.#columns[column] ?? [];
    this.words = new Words(trace.program, column);
    this.byte = column > 0 ? (outputBytes(trace.steps)[column - 1] ?? null) : null;
    this.#tokenBegins = new Set(
      trace.steps.filter((s) => s.n_bytes > 0 && s.byte_begin + s.n_bytes === column).map((s) => s.byte_begin),
    );
    if (column === 0)
      trace.chart.columns[0]?.forEach(([state, , op], index) => {
        if (op === START) this.found.set(index, [state, 0, START, -1, -1, -1, -1]);
      });
    this.nGiven = this.found.size;
  }

  /** The items of a column: of an earlier one all, of this one those that were found. */
  items(column: number): readonly PlacedItem[] {
    if (column !== this.column) return this.#columns[column] ?? [];
    return [...this.found.keys()].map((index) => this.all[index] as PlacedItem);
  }
  /** The items' places in their columns: keys of the chart's drawing. */
  indexOf(item: PlacedItem): number {
    return this.#columns[item.column]?.findIndex((other) => same(item, other)) ?? -1;
  }
  get missing(): number {
    return this.all.length - this.found.size;
  }
  get score(): { right: number; wrong: number; hints: number; revealed: number } {
    const right = this.log.filter((answer) => answer.right).length;
    return { right, wrong: this.log.length - right, hints: this.nHints, revealed: this.nRevealed };
  }
  differences(): string[] {
    return this.words.differences(this.all, this.#columns[this.column - 1] ?? []);
  }

  /** Scan, predict or complete one item. What it makes is put into the column; a wrong step changes nothing. */
  do(verb: Verb, item: PlacedItem): ExerciseAnswer {
    const asked = this.words.hint(verb, item);
    const wrong = this.#misplaced(verb, item) ?? this.#impossible(verb, item);
    if (wrong) return this.#note({ right: false, ...wrong, asked, item }, []);
    const allowed = this.#made(verb, item).filter((made) => this.indexOf(made) >= 0);
    if (allowed.length === 0)
      return this.#note({ right: false, kind: "bounds", reason: this.words.bounds(verb, item), asked, item }, []);
    const unique = allowed.filter((made, k) => allowed.findIndex((other) => same(made, other)) === k);
    const added = unique.filter((made) => !this.found.has(this.indexOf(made)));
    if (added.length === 0)
      return this.#note({ right: false, kind: "already", reason: this.words.already(allowed), asked, item }, []);
    return this.#note({ right: true, kind: "right", reason: this.words.right(verb, item, added), asked, item }, added);
  }

  /** Say an item of the column outright: right if some operation on what is there makes it. */
  add(state: number, origin: number): ExerciseAnswer {
    const item = { column: this.column, state, origin };
    const index = this.indexOf(item);
    const known = this.trace.program.states[state] ? this.words.item(item) : `state ${state}`;
    const answer = { right: false, asked: `the item \`${known}\``, item: null };
    if (index < 0) {
      const [kind, reason] = this.words.notHere(item, this.byte, this.#columns[this.column - 1] ?? []);
      return this.#note({ ...answer, kind, reason }, []);
    }
    if (this.found.has(index))
      return this.#note({ ...answer, kind: "already", reason: this.words.already([item]) }, []);
    for (const [verb, from] of this.#stepsNow())
      for (const made of this.#made(verb, from))
        if (same(made, item)) {
          const reason = this.words.right(verb, from, [item]);
          return this.#note({ ...answer, right: true, kind: "right", reason, item: from }, [made]);
        }
    return this.#note({ ...answer, kind: "too_early", reason: this.words.tooEarly(item) }, []);
  }

  /** Take the last right step back. */
  undo(): boolean {
    const gone = this.#steps.pop();
    for (const index of gone ?? []) this.found.delete(index);
    return gone !== undefined;
  }
  /** The next operation, and the item it is done to. */
  hint(): { text: string; item: PlacedItem | null } {
    const step = this.next();
    if (!step) return { text: NOTHING_MISSING, item: null };
    this.nHints++;
    return { text: this.words.hint(...step), item: step[1] };
  }
  /** Put in what is missing, as the engine made it. */
  reveal(): void {
    const rest = this.all.map((_, index) => index).filter((index) => !this.found.has(index));
    for (const index of rest)
      this.found.set(index, this.trace.chart.columns[this.column]?.[index] as unknown as ChartItem);
    this.nRevealed += rest.length;
    if (rest.length > 0) this.#steps.push(rest);
  }
  /** The first operation that makes something new. */
  next(): [Verb, PlacedItem] | null {
    const isNew = (made: PlacedItem) => {
      const index = this.indexOf(made);
      return index >= 0 && !this.found.has(index);
    };
    return this.#stepsNow().find((step) => this.#made(...step).some(isNew)) ?? null;
  }

  #note(answer: ExerciseAnswer, added: readonly Made[]): ExerciseAnswer {
    this.log.push(answer);
    for (const made of added) this.found.set(this.indexOf(made), made.link);
    if (added.length > 0) this.#steps.push(added.map((made) => this.indexOf(made)));
    return answer;
  }

  // ---- judging -----------------------------------------------------------------------------------------------------------------

  #edges(state: number, kind?: Edge["kind"]): Edge[] {
    return edgesFrom(this.trace.program, state).filter((e) => kind === undefined || e.kind === kind);
  }

  /** All that the operation makes, wherever it is possible at all. */
  #made(verb: Verb, item: PlacedItem): Made[] {
    const made = (state: number, origin: number, from: PlacedItem, child: PlacedItem | null): Made => {
      const arrow = [OPERATION[verb], from.column, this.indexOf(from), child?.column ?? -1] as const;
      const link: ChartItem = [state, origin, ...arrow, child ? this.indexOf(child) : -1];
      return { column: this.column, state, origin, link };
    };
    if (verb === "scan") {
      const read = this.#edges(item.state).filter((edge) => this.#reads(edge, item.column));
      return read.map((edge) => made(edge.to, item.origin, item, null));
    }
    if (verb === "predict")
      return this.#edges(item.state, "rule").flatMap((edge) => {
        const rule = this.trace.program.rules[edge.rule ?? -1];
        return (rule?.starts ?? [rule?.start ?? -1]).map((start) => made(start, this.column, item, null));
      });
    if (!this.trace.program.states[item.state]?.accepting) return [];
    return this.#waiting(item).map(([waiting, to]) => made(to, waiting.origin, waiting, item));
  }
  #reads(edge: Edge, column: number): boolean {
    if (edge.kind === "token") return this.#tokenBegins.has(column);
    const { byte } = this;
    if (column !== this.column - 1 || edge.kind !== "bytes" || byte === null) return false;
    return edge.ranges.some(([lo, hi]) => lo <= byte && byte <= hi);
  }
  /** Who waits, where the item began, for its rule; and the state each goes on in. */
  #waiting(item: PlacedItem): [PlacedItem, number][] {
    const rule = this.trace.program.states[item.state]?.rule;
    return this.items(item.origin).flatMap((waiting) =>
      this.#edges(waiting.state, "rule")
        .filter((edge) => edge.rule === rule)
        .map((edge): [PlacedItem, number] => [waiting, edge.to]),
    );
  }

  #misplaced(verb: Verb, item: PlacedItem): Refusal | null {
    if (!this.items(item.column).some((other) => same(item, other)))
      return { kind: "no_item", reason: this.words.noItem(item) };
    if (verb === "scan") {
      if (this.column === 0) return { kind: "no_byte", reason: NO_BYTE };
      if (item.column === this.column - 1) return null;
      if (this.#tokenBegins.has(item.column) && this.#edges(item.state, "token").length > 0) return null;
    } else if (item.column === this.column) return null;
    return { kind: "other_column", reason: this.words.otherColumn(verb, item) };
  }
  #impossible(verb: Verb, item: PlacedItem): Refusal | null {
    const { words } = this;
    const has = (kind?: Edge["kind"]) => this.#edges(item.state, kind).length > 0;
    if (verb === "scan") {
      if (this.#made("scan", item).length > 0) return null;
      if (has("bytes")) return { kind: "wrong_byte", reason: words.wrongByte(this.byte ?? 0, item) };
      const kind = has("rule") ? "before_rule" : "at_end";
      return { kind, reason: words.cannot(kind, verb, item) };
    }
    if (verb === "predict") {
      if (has("rule")) return null;
      const kind = has() ? "before_byte" : "at_end";
      return { kind, reason: words.cannot(kind, verb, item) };
    }
    if (!this.trace.program.states[item.state]?.accepting)
      return { kind: "not_complete", reason: words.notComplete(item) };
    return this.#waiting(item).length > 0 ? null : { kind: "nobody_waits", reason: words.nobodyWaits(item) };
  }

  /** Every operation on every item, in the order of a textbook: scan, then predict and complete. */
  #stepsNow(): [Verb, PlacedItem][] {
    const begins = this.column > 0 ? [...new Set([this.column - 1, ...this.#tokenBegins])].sort((a, b) => a - b) : [];
    const scans = begins.flatMap((column) =>
      (this.#columns[column] ?? []).map((item): [Verb, PlacedItem] => ["scan", item]),
    );
    const here = this.items(this.column).flatMap((item): [Verb, PlacedItem][] => [
      ["predict", item],
      ["complete", item],
    ]);
    return [...scans, ...here];
  }
}
