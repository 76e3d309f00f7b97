// What Python works out of the record, for pages to show: docs/design/0046-one-owner.md. Made by xg2lab/widgets/page_trace.py.

/** A state that could have read the byte that died, and the bytes that it has edges for: hexadecimal, ranges apart by blanks. */
export type MissingEdge = [state: number, rule: number, bytes: string];

/** Where the derivation tree of a text begins: one complete item, or the open ones, the outermost first. */
export interface TreeRoot {
  line: [column: number, index: number][];
  is_whole: boolean;
  /** complete items that could have been taken as well, and what some of them read */
  n_others: number;
  also: string[];
}
/** Other ways of an item: how many, and of those that were kept what the item reads, and what its child does where it alone differs. */
export type WaysRead = [column: number, index: number, n: number, ways: [item: string, child: string | null][]];
/** An item that stepped over a rule which matched nothing. */
export type SteppedOver = [column: number, index: number, rule: number];

/** Who made a mask entry: this grammar, another one by way of the tokenizer's pool, or the template of this instance. */
export type Maker = "own" | "pool" | "template";

/** What wrote a step's token: the operator that took its first byte; writer null: one of several did, or it was not recorded. */
export interface Written {
  writer: number | null;
  /** the operator in words */
  text: string;
  /** false: the step before was written by the same operator, and this one goes on */
  begins: boolean;
}

/** The states that read a text of the tree of operators, by its place in the grammar. */
export type Reader = [begin: number, end: number, states: number[]];

export interface PassCost {
  name: string;
  /** a part begins where the one before it ends, within its pass */
  begin_us: number;
  us: number;
  /** of a part: the pass that it is a part of */
  inside: string | null;
  machines: number | null;
  /** in words, empty where it left all as it was */
  change: string;
  change_in_short: string;
}
export interface RuleCost {
  rule: number | null;
  name: string;
  line: number | null;
  us: number;
  share: number;
  n_fills: number;
  n_misses: number;
  median_us: number;
  /** a step */
  costliest: number;
}
export interface Costs {
  /** null: the grammar came compiled; of an instance those of its template */
  passes: PassCost[] | null;
  passes_us: number | null;
  mask_us: number;
  wait_us: number | null;
  model_ms: number;
  n_fills: number;
  /** the dearest first */
  rules: RuleCost[];
  template: {
    offline_us: number;
    request_us: number;
    first_mask_us: number | null;
    passes: PassCost[] | null;
    passes_us: number | null;
  } | null;
}
/** Nanoseconds. */
export interface LaneFigures {
  p50: number;
  p95: number;
  sum: number;
}
/** Of the whole trace. During a run a page gets them now and then. */
export interface Figures {
  costs: Costs;
  lanes: {
    rows: Record<string, LaneFigures>;
    /** the share of the mask's time that passes of the model covered */
    hidden: number | null;
    /** what of the compilation the prompt's pass did not cover */
    prefill_wait: number | null;
  };
  /** in words: the tokens in which the model had no choice */
  share: string | null;
}
