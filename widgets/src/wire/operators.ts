// Trees of operators and what is active in them. Mirror of xg2lab/lab/trace/operators.py, names in snake_case.

import type { Reader } from "./facts";

export type OperatorKind = "Write" | "Wait" | "IfElse" | "Sequence" | "DoWhile";
/** parent: -1 at the root; rule: an index into `rules`; data: the first bytes of a Write, of n_bytes */
export type OperatorRow = [
  kind: OperatorKind,
  parent: number,
  rule: number,
  begin: number,
  end: number,
  label: string,
  least: number | null,
  most: number | null,
  slot: string | null,
  argument: string | null,
  data: string | null,
  n_bytes: number | null,
];
export interface WireOperators {
  n: number;
  is_deterministic: boolean | null;
  most_active: number | null;
  rules: string[];
  rows: OperatorRow[];
  /** absent in older traces */
  readers?: Reader[];
  /** in words: how large the tree is, and how many of its operators can be active at once */
  headline?: string;
}
/** Why a grammar has no tree; the spans are the calls of its cycle. */
export interface RefusedOperators {
  refused: string;
  hint: string;
  spans: [begin: number, end: number][];
}
export interface ActiveOperator {
  operator: number;
  n_written: number;
  counts: [loop: number, low: number, high: number][];
  watched: string;
}
/** n counts those that are not listed too */
export interface ActiveOperators {
  n: number;
  at: ActiveOperator[];
  /** words beside an operator, by its number: repetitions, branches taken, bytes; absent in older traces */
  said?: Record<string, string>;
}
