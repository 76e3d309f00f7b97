// What a comparison has found. Mirror of xg2lab/lab/comparison/comparing.py and replays.py, names in snake_case.

export type Phase = "first" | "shared" | "warm";
export interface Side {
  name: string;
  vocab_size: number;
  compile_us: number | null;
  n_states: number;
  n_entries: number;
  memory_bytes: number;
  /** why the engine would not have this grammar with these options; empty if it would */
  refused: string;
  /** microseconds of each mask, the median of the rounds */
  us: Record<Phase, number[]>;
  /** how each mask was come by when nothing was known */
  caches: string[];
}
/** What is known of the shortest text on which the two part. Mirror of xg2lab/lab/comparison/shortest.py. */
export interface Shortest {
  verdict: "part" | "equal" | "none" | "refused";
  text: string; // hexadecimal
  shown: string;
  only_a: [lo: number, hi: number][];
  only_b: [lo: number, hi: number][];
  ends_a: boolean;
  ends_b: boolean;
  reason_a: string;
  reason_b: string;
  tokens: number[];
  n_bytes: number;
  n_pairs: number;
  n_waiting: number;
  seconds: number;
  why: string;
  says: string;
  is_running: boolean;
}
/** The tokens of the text: where each begins, and its text. */
export type TapeTokens = [byte: number, text: string][];
export interface Divergence {
  step: number;
  byte: number;
  token_id: number | null;
  text: string;
  takes_a: boolean;
  takes_b: boolean;
  reason_a: string;
  reason_b: string;
  /** what the model gave all tokens that differ */
  mass: number | null;
  listed: [token: number, text: string, p: number | null, is_of_a: boolean, accept_a: boolean, accept_b: boolean][];
}
export interface CompareReport {
  a: Side;
  b: Side;
  unit: "token" | "byte";
  must_agree: boolean;
  /** what is switched, A's value, B's value, in words */
  changes: [what: string, a: string, b: string][];
  changed: Record<string, [a: string, b: string]>;
  is_other_grammar: boolean;
  texts: string[];
  n_steps: number;
  n_rounds: number;
  n_done: number;
  rounds_done: number;
  n_allowed: [a: number, b: number][];
  differences: [step: number, n_only_a: number, n_only_b: number, only_a: number[], only_b: number[]][];
  n_differing_steps: number;
  n_differ: number;
  divergence: Divergence | null;
  ratios: Record<Phase, number | null>;
  total_ratios: Record<Phase, number | null>;
  /** of the rounds: the least ratio and the greatest */
  spreads: Record<Phase | "compile", [least: number, greatest: number] | null>;
  total_spreads: Record<Phase, [least: number, greatest: number] | null>;
  findings: [level: "error" | "warning" | "hint", text: string][];
  repro: string;
  shortest: Shortest | null;
  /** base64 of both masks of some steps, see views/compare/layout/masks.ts; empty while it runs */
  masks: string;
  tapes: [a: TapeTokens, b: TapeTokens | null];
  seconds: number;
  stopped: string;
  is_running: boolean;
  ok: boolean;
}
/** A switch of the engine: its values with their names, and the session's own. */
export interface SwitchFacts {
  name: string;
  what: string;
  values: [value: string, name: string][];
  own: string;
}
