// What an audit has found. Mirror of xg2lab/lab/auditing/auditing.py and tokenizer_checks.py, names in snake_case.

export interface Disagreement {
  step: number;
  token_id: number;
  text: string;
  mask: boolean;
  accept: boolean;
  repro: string;
  /** whether a vocabulary of this one token shows it */
  is_small: boolean;
}
/** The visits of one state; of `steps`, n_checked were checked with every token. Counts are those of the first. */
export interface StateAudit {
  name: string;
  state: number | null;
  steps: number[];
  n_checked: number;
  n_allowed: number;
  n_uncertain_accepted: number;
  n_uncertain_rejected: number;
  disagreements: Disagreement[];
}
export interface Check {
  name: string;
  level: "ok" | "hint" | "warning" | "error";
  value: string;
  details: string;
  token_ids: number[];
  repro: string;
}
export interface KeywordState {
  pointer: string;
  keyword: string;
  state: "enforced" | "annotation" | "relaxed" | "refused";
  note: string;
  repro: string;
}
export interface AuditReport {
  vocab_size: number;
  n_steps: number;
  states: StateAudit[];
  checks: Check[];
  coverage: KeywordState[];
  /** states checked with every token */
  n_done: number;
  seconds: number;
  /** why it ended before all was checked; empty if all was */
  stopped: string;
  is_running: boolean;
  ok: boolean;
  /** the text of the session that was audited */
  output: string;
}
