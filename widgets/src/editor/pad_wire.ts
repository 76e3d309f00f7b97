// What a pad's kernel side sends. Mirror of xg2lab/widgets/pad_wire.py; names are the wire's own. Spans count bytes of the text.
import type { Span, WireError } from "../wire";

export type PadKind = "ebnf" | "json_schema" | "regex" | "structural_tag" | "lark";
export type Severity = "error" | "warning" | "hint";

export interface Fix {
  title: string;
  text: string;
}
export interface Finding {
  code: string;
  severity: Severity;
  message: string;
  hint: string;
  span: Span;
  line: number;
  column: number;
  pointer: string | null;
  fix: Fix | null;
  /** of a template's text: the mistake is one of its arguments, and has a place in their text too */
  of_arguments?: boolean;
}
/** What fills a template's slots, as JSON; `skeleton`: arguments to begin with. */
export interface PadArguments {
  text: string;
  findings: Finding[];
  skeleton: string;
}
export interface Keyword {
  pointer: string;
  keyword: string;
  state: "enforced" | "annotation" | "relaxed" | "refused";
  note: string;
  span: Span;
  line: number;
}
export interface BenchRow {
  row_id: number;
  text: string;
  should_match: boolean;
  origin: string;
  verdict: "match" | "incomplete" | "rejected" | null;
  agrees: boolean | null;
  died_at: number | null;
  expected: string;
  for_example: string;
  rule: string;
  line: number | null;
  judged_by: number;
  us: number;
}
export interface PadState {
  text: string;
  kind: PadKind;
  on_unsupported: "error" | "relax";
  revision: number; // of the text; one more with each that is written
  status: "ready" | "compiling" | "cancelled";
  draft_revision: number; // of the text that `findings` and `keywords` are about
  good_revision: number; // of the last text that was a grammar; -1: there was none
  findings: Finding[];
  /** absent unless the text is a template */
  arguments?: PadArguments | null;
  keywords: Keyword[];
  rows: BenchRow[];
  n_rows: number;
  has_session: boolean;
  is_applied: boolean;
  error: WireError | null;
}
export interface Track {
  kind: "literal" | "class" | "rule" | "other" | "sequence" | "choice" | "optional" | "repeat";
  span: Span;
  text?: string;
  parts?: Track[];
  least?: number;
  most?: number | null;
}
export interface RuleFacts {
  name: string;
  span: Span;
  name_span: Span;
  body: string;
  n_uses: number;
  track: Track | null;
}
export interface Good {
  revision: number;
  text: string;
  is_source: boolean; // whether the rules' spans are places of the text
  n_states: number;
  ms: number;
  lowered: string;
  passes: { name: string; shown: string }[];
  rules: RuleFacts[];
}
export interface PadPush {
  kind: "pad";
  seq: number;
  state: PadState;
}
export interface PadWhole {
  seq: number;
  state: PadState;
  good: Good | null;
}
