// What Python sends: the trace and its parts, the traits of the widgets, the messages.
//
// Mirror of xg2lab/lab/trace/trace.py (the trace) and xg2lab/widgets/*.py (traits). Names are the wire's own, in snake_case.
// Offsets into the grammar's source and into the output count bytes; token ids are the model's numbers.
import type { AuditReport } from "./audit";
import type { ChartItem, ChartWay, WaysRow } from "./chart";
import type { CompareReport } from "./compare";
import type { WireDiagnosis } from "./diagnosis";
import type { DispatchPlace, PoolTotals, StackTree, WatchedText } from "./engine";
import type { Figures, Maker, MissingEdge, SteppedOver, TreeRoot, WaysRead, Written } from "./facts";
import type { CompilePasses, HeaderLanes, StepLanes } from "./lanes";
import type { LostMass } from "./lost";
import type { ActiveOperators, RefusedOperators, WireOperators } from "./operators";
import type { WireStage } from "./stages";

export type Span = [begin: number, end: number];
export type Kind = "sampled" | "forced_by_grammar" | "forced_by_user" | "jump_forward";
export type CacheClass = "context_hit" | "perfect_hit" | "partial_hit" | "miss";
export type Status = "idle" | "running" | "paused" | "completed" | "terminated" | "error";

export interface Rule {
  id: number;
  name: string;
  span: Span;
  line: number;
  start: number;
  states: Span;
  nullable: boolean;
  /** of a counted rule: what it repeats, how often; max null: without end */
  repeat?: { child: number; min: number; max: number | null } | null;
  any_order?: object; // members in any order
  dispatch?: { texts: WatchedText[] };
}
export interface State {
  id: number;
  rule: number;
  accepting: boolean;
  scannable: boolean;
  before: string;
  after: string;
  spans: Span[];
  dispatch?: DispatchPlace;
  argument?: string; // of an instance: a JSON Pointer to what it was made from; absent in older traces
}
export interface Edge {
  from: number;
  to: number;
  kind: "bytes" | "rule" | "token";
  label: string;
  ranges: [lo: number, hi: number][];
  rule: number | null;
  spans: Span[];
}
export interface Program {
  root?: number; // absent in hand-made ones: the first rule
  rules: Rule[];
  states: State[];
  edges: Edge[];
}
export interface Item {
  state: number;
  rule: number;
  origin: number;
  /** of a counted rule's item: how often its child has matched, in words */
  done?: string;
}
export interface DottedItem extends Item {
  before: string;
  after: string;
}
export interface MaskEntry {
  state: number;
  rule: number;
  /** in a counted rule: how often its child will have matched after this one, as far as the mask depends on it */
  counts?: string | null;
  storage: "accepted_list" | "rejected_list" | "bitset";
  n_accepted: number;
  n_rejected: number;
  n_uncertain: number;
  size_bytes: number;
  build_us: number;
  hits: number;
  /** how it was come by, and the grammar whose walk it rests on; absent in older traces */
  cache?: CacheClass;
  donor?: number;
  donor_name?: string;
  unshared?: string | null; // why other grammars can't take it over
  maker?: Maker;
}
export interface ExpectedBy extends DottedItem {
  rule_name: string;
  spans: Span[];
  line?: number; // not there if the rule stands nowhere in the source
  column?: number;
  line_text?: string;
  argument?: string; // JSON Pointer of what filled the slot that this state reads
  slot?: string; // its name, with the argument
}
export interface WalkStep {
  byte: number;
  alive: boolean;
  items: DottedItem[];
  /** the place of the innermost item; absent in older traces */
  inner?: number | null;
}
export interface Explanation {
  token_id: number | null;
  bytes: string;
  text: string;
  allowed: boolean;
  mechanism: string;
  reason: string;
  died_at: number | null;
  walk: WalkStep[];
  expected: [lo: number, hi: number][];
  expected_text: string;
  /** items before edges of bytes and of tokens, each once */
  expected_by: ExpectedBy[];
  /** absent in older traces */
  missing?: MissingEdge[];
  /** in a replay: the text of an issue, as numbers of the trace's `issue_lines` */
  issue?: number[];
  counted?: (DottedItem & { rule_name: string })[];
  entry: MaskEntry | null;
}
/** p and q are null without a model, provenance where no mask was known */
export type Candidate = [token_id: number, text: string, p: number | null, q: number | null, provenance: number | null];
export interface Step {
  index: number;
  kind: Kind | null;
  token_id: number | null;
  text: string;
  bytes: string;
  byte_begin: number;
  n_bytes: number;
  p: number | null;
  q: number | null;
  rank: number | null;
  z: number | null;
  kl: number | null;
  /** what the logits were divided by; 0: greedy, and p is for 1. Absent in older traces */
  temperature?: number | null;
  n_allowed: number | null;
  mask_us: number | null;
  model_ms: number | null;
  accept_us: number | null;
  /** absent in older traces */
  lanes?: StepLanes | null;
  cache: CacheClass | null;
  /** how the mask was made: a key of WAYS (views/cache_view/layout.ts), or "known". Absent in older traces */
  way?: string | null;
  n_built: number | null;
  n_adapted: number | null;
  n_checked: number | null;
  /** what the grammars of this tokenizer share, when the mask had been made; null: they share nothing */
  pool: PoolTotals | null;
  /** with parser="pda": some of the automaton's stacks; null for Earley's parser, absent in older traces */
  stacks?: StackTree | null;
  /** null where nobody asked for them; absent in older traces */
  operators?: ActiveOperators | null;
  top: Candidate[];
  entries: MaskEntry[];
  live: Item[];
  completed: boolean;
  terminated: boolean;
  explain: Record<string, Explanation>;
  /** the place of the innermost live item; absent in older traces, as what follows is */
  inner?: number | null;
  /** what was blocked, by the rule that refused it, as far as it was recorded */
  lost?: LostMass | null;
  /** of the text before the step; null where the chart was not recorded */
  root?: TreeRoot | null;
  /** null where no operators were recorded */
  written?: Written | null;
}
export interface Branch {
  at: number;
  steps: Step[];
}
/** The template whose instance the grammar is. Mirror of xg2lab/lab/session/instances.py, Instance.facts(). */
export interface TemplateFacts {
  kind: "ebnf" | "json_schema";
  text: string;
  root: string;
  options: Record<string, unknown>;
  /** values of JSON; bytes and grammars as objects with a key that begins with $ */
  arguments: Record<string, unknown>;
  slots: [scope: string, name: string, kind: string][];
  /** why instances are compiled from the written-out grammar; empty if they are linked */
  obstacles: string[];
  n_states: number;
  compile_us: number;
  /** null: the template came compiled */
  masks_us: number | null;
  instantiate_us: number;
  /** what making the instance did; null: it came made. Absent in older traces */
  request_passes?: CompilePasses | null;
}
export interface Header extends HeaderLanes {
  name: string;
  model: { name: string; device: string; dtype: string; n_parameters: number } | null;
  vocab_size: number;
  /** `written_out`: as EBNF, where the text is a template's and its arguments are not known */
  grammar: { text: string; root: string; written_out?: string };
  /** absent in older traces */
  template?: TemplateFacts | null;
  options: Record<string, unknown>;
  sampling?: { temperature: number; top_k: number; top_p: number; seed: number };
  compile_us: number | null;
  prompt: string;
}
export interface Trace {
  version: number;
  header: Header;
  program: Program;
  steps: Step[];
  branches: Branch[];
  chart: { columns: ChartItem[][]; ways?: WaysRow[]; ways_read?: WaysRead[]; stepped_over?: SteppedOver[] };
  notes: string[];
  /** the grammar's tree of operators, or why there is none; absent where nobody asked for it */
  operators?: WireOperators | RefusedOperators;
  /** whether the grammar is an instance that was linked from a template */
  linked?: boolean;
  /** absent until a view asks for them */
  figures?: Figures;
  /** in a replay: lines of the texts of issues */
  issue_lines?: string[];
}
export interface Selection {
  step: number | null;
  token: number | null;
  byte: number | null;
  rule: number | null;
  item: [column: number, index: number] | null;
  state: number | null;
  mask_entry: number | null;
}

// ---- widgets: one interface a Python class; tests/widgets/test_traits.py compares the lists -------------------------------

/** Mirror of xg2lab/widgets/runtime.py, class Runtime. */
export interface RuntimeTraits {
  bundle: DataView; // Python: gzip of runtime.js
}

/** Mirror of xg2lab/widgets/session_widget.py, class SessionWidget. */
export interface SessionTraits {
  runtime: string | null; // Python
  seq: number; // Python: number of the last push that `trace` contains
  trace: DataView | null; // Python: gzip of the Trace as JSON, for reload and replay
  bulk: DataView | null; // Python: gzip of masks and vocabulary when small, for replay
  selection: Selection; // both: the page by message
  audit: AuditReport | { error: WireError } | null; // Python: the last audit, as far as it has come
  diagnosis: WireDiagnosis | null; // Python: what is wrong with pasted ids, while their trace is shown
  compare: CompareReport | { error: WireError } | null; // Python: the last comparison, as far as it has come
  stages: Record<string, WireStage[]>; // Python: a rule's machine after each pass, of the rules that were looked at last
  layouts: Record<string, string>; // page by message: FSM layouts, so that a replay needs no Graphviz
}

/** Mirror of xg2lab/widgets/pad_widget.py, class PadWidget. */
export interface PadTraits {
  runtime: string | null; // Python
  replay: DataView | null; // Python: gzip of state and last good grammar as JSON, for reload and replay
}

/** Mirror of xg2lab/widgets/view.py, class View. */
export interface ViewTraits {
  session: string | null;
  pad: string | null; // of a view that edits: the pad, which a session need not have
  panel: string;
}

// ---- messages -------------------------------------------------------------------------------------------------------------

/** What comes with a mask; the buffers are its provenance and probabilities. */
export interface BulkHeader {
  step: number;
  mass: number[] | null; // exact probability mass by provenance class
}
export interface WireError {
  type: string;
  message: string;
  hint?: string;
}

/** Kernel to page, in order; a page that misses a number asks for the whole trace. */
export interface TracePush {
  kind: "trace";
  seq: number;
  reset?: boolean; // the trace starts again: header and program follow
  header?: Header;
  program?: Program;
  operators?: WireOperators | RefusedOperators;
  linked?: boolean;
  figures?: Figures;
  keep_steps: number; // of the steps the page has, this many stay
  steps: Step[];
  keep_columns: number;
  columns: ChartItem[][];
  ways?: WaysRow[];
  ways_read?: WaysRead[];
  stepped_over?: SteppedOver[];
  keep_branches: number;
  branches: Branch[];
  notes: string[];
  status: Status;
  run?: [taken: number, most: number] | null;
  error: WireError | null;
  bulk?: BulkHeader; // buffers: provenance, probability of this step
}
export { COMPLETE, PREDICT, SCAN, START } from "./chart";
export type { ChartItem, ChartWay, WaysRow };
