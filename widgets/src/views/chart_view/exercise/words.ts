// What is said of a step in an exercise: each kind of mistake with its reason, and where our columns are no textbook's. Pure.
//
// The kinds of mistakes; between backticks stands what is written like code:
//   no_item, other_column, no_byte                  the step takes an item that is not there, or not where this verb takes its items
//   wrong_byte, before_rule, before_byte, at_end    it does not fit what stands after the dot
//   not_complete, nobody_waits                      it completes a match that has not ended, or that no item waits for
//   bounds                                          a repetition, or members in any order, forbid it here
//   already                                         it adds nothing new
//   too_early                                       it names an item that nothing makes yet
//   not_predicted, origin, not_here                 it names an item that the column does not have
import { hex } from "../../../text";
import { edgesFrom } from "../../../trace";
import type { Edge, Program } from "../../../wire";
import { dotOf, isStart } from "../layout/text";

export type Verb = "scan" | "predict" | "complete";
/** An item and the column it is in. */
export interface PlacedItem {
  column: number;
  state: number;
  origin: number;
}

export const NO_BYTE =
  "no byte leads into column 0: it begins with the root rule's start, and predict continues from there";
export const NOTHING_MISSING = "nothing is missing: the column has all its items";
const MOST_LISTED = 3;

/** A byte in hexadecimal, and as the character it is in ASCII. */
export const byteName = (byte: number): string =>
  byte > 0x20 && byte < 0x7f ? `${hex(byte)} \`${String.fromCharCode(byte)}\`` : hex(byte);

function listed(parts: readonly string[], word: string): string {
  const shown = parts.slice(0, MOST_LISTED);
  if (parts.length > MOST_LISTED) shown.push(`${parts.length - MOST_LISTED} more`);
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} ${word} ${shown.at(-1)}` : shown.join("");
}
const code = (texts: Iterable<string>) => [...texts].map((text) => `\`${text}\``);

export class Words {
  constructor(
    readonly program: Program,
    readonly column: number,
  ) {}

  rule(state: number): string {
    return this.program.rules[this.program.states[state]?.rule ?? -1]?.name ?? "";
  }
  /** An item as the chart writes it. */
  item({ state, origin }: PlacedItem): string {
    const s = this.program.states[state];
    return `${this.rule(state)} → ${s?.before}${dotOf(s)}${s?.after}  from ${origin}`;
  }
  /** What stands after the dot: the labels of the edges, of one kind if one is said. */
  after(state: number, kind?: Edge["kind"]): string {
    const edges = edgesFrom(this.program, state).filter((e) => kind === undefined || e.kind === kind);
    return listed(code(new Set(edges.map((e) => e.label))), "or");
  }
  headline(byte: number | null, n: number, nAll: number): string {
    const after = byte === null ? "before any byte" : `after byte ${byteName(byte)}`;
    return `column ${this.column}, ${after}: ${n} of ${nAll} items`;
  }

  right(verb: Verb, item: PlacedItem, added: readonly PlacedItem[]): string {
    const made = listed(code(added.map((a) => this.item(a))), "and");
    const rule = this.rule(item.state);
    if (verb === "scan") return `scan: \`${rule}\` expects this byte; the column gets ${made}`;
    if (verb === "predict") return `predict: a match may begin here; the column gets ${made}`;
    if (item.origin === this.column)
      return `complete: \`${rule}\` has matched the empty text, so the dot moves over it: ${made}`;
    return `complete: \`${rule}\` has ended; the items of column ${item.origin} that wait for it continue: ${made}`;
  }
  hint(verb: Verb, item: PlacedItem): string {
    return `${verb} \`${this.item(item)}\` of column ${item.column}`;
  }

  noItem(item: PlacedItem): string {
    return `there is no such item in column ${item.column}${item.column === this.column ? " yet" : ""}`;
  }
  otherColumn(verb: Verb, item: PlacedItem): string {
    const { column: j } = this;
    if (verb === "scan")
      return `scan reads the byte between columns ${j - 1} and ${j}: it takes an item of column ${j - 1}, not of column ${item.column}`;
    return `${verb} stays within a column: it takes an item of column ${j}, not of column ${item.column}`;
  }
  wrongByte(byte: number, item: PlacedItem): string {
    return `scan needs byte ${byteName(byte)}; this item expects ${this.after(item.state, "bytes")}`;
  }
  cannot(kind: "at_end" | "before_rule" | "before_byte", verb: Verb, item: PlacedItem): string {
    if (kind === "at_end")
      return `nothing is after the dot, so ${verb} ${verb === "scan" ? "reads" : "enters"} nothing: an item at its end is completed`;
    if (kind === "before_rule")
      return `the dot is before ${this.after(item.state, "rule")}, a rule, not a byte: predict enters it`;
    return `the dot is before ${this.after(item.state)}, which is not a rule: scan reads it, into the next column`;
  }
  notComplete(item: PlacedItem): string {
    return `\`${this.rule(item.state)}\` has not ended: ${this.after(item.state)} must come first`;
  }
  nobodyWaits({ state, origin }: PlacedItem): string {
    const name = this.rule(state);
    const none = `complete of \`${name}\` needs an item of column ${origin} that waits for \`${name}\`; there is none`;
    const isWhole = origin === 0 && this.program.states[state]?.rule === (this.program.root ?? 0);
    return isWhole ? `${none}: \`${name}\` is the whole, and the output may end here` : none;
  }
  bounds(verb: Verb, item: PlacedItem): string {
    const enough =
      verb === "complete"
        ? "may not end yet, or the waiting items may take no other match of it"
        : "may not be matched again";
    return `\`${this.rule(item.state)}\` ${enough}: an item of a repetition, or of members in any order, carries what it has matched`;
  }
  already(items: readonly PlacedItem[]): string {
    return `already in the column: ${listed(code(items.map((i) => this.item(i))), "and")}`;
  }
  tooEarly(item: PlacedItem): string {
    return `\`${this.item(item)}\` belongs here, but no item in the column makes it yet: first find the item that does`;
  }
  /** Kind and reason: the column does not have the item that was named. */
  notHere(item: PlacedItem, byte: number | null, before: readonly PlacedItem[]): [kind: string, reason: string] {
    const { state, origin } = item;
    const { column: j, program } = this;
    if (!program.states[state] || origin < 0 || origin > j)
      return ["origin", `an item of column ${j} begins at a column from 0 to ${j}, in an existing state`];
    const name = this.rule(state);
    if (origin === j && isStart(program, state))
      return ["not_predicted", `no item of column ${j} has its dot before \`${name}\`, so nothing predicts it`];
    const into = new Set(program.edges.filter((e) => e.to === state).map((e) => e.from));
    const other = before.find((b) => b.origin === origin && into.has(b.state) && this.after(b.state, "bytes"));
    if (other && byte !== null)
      return ["wrong_byte", `\`${this.item(other)}\` would lead there, but ${this.wrongByte(byte, other)}`];
    return [
      "not_here",
      `no operation makes it: no byte leads \`${name}\` of column ${origin} into that state here, and no rule that it waits for ends here`,
    ];
  }

  /** What differs from a textbook's column, as far as it matters for these items. */
  differences(items: readonly PlacedItem[], before: readonly PlacedItem[]): string[] {
    const { program } = this;
    const rules = [...before, ...items].map((i) => program.rules[program.states[i.state]?.rule ?? -1]);
    const several = items.find((i) => new Set(edgesFrom(program, i.state).map((e) => e.label)).size > 1);
    const empty = rules.find((rule) => rule?.nullable);
    const repeat = rules.find((rule) => rule?.repeat || rule?.any_order);
    const token = before.flatMap((i) => edgesFrom(program, i.state)).find((e) => e.kind === "token");
    return [
      several &&
        `an item is a state of the rule's machine, so one item may stand for several dotted rules: \`${this.item(several)}\``,
      empty &&
        `\`${empty.name}\` may match nothing: the engine steps over it as it predicts it and never completes within a column; here you complete it, as a textbook does`,
      repeat && `\`${repeat.name}\` counts what it has matched beside its state; the chart does not show the count`,
      token && `\`${token.label}\` takes a whole token: it is scanned from the column in which the token begins`,
      "no item is left out because of the next byte, as in a parser with lookahead: a column depends only on the bytes before it",
    ].filter((sentence): sentence is string => sentence !== undefined);
  }
}
