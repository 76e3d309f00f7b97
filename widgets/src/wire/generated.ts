// The records that Python sends and saves. Generated from xg2lab/lab/schema by tools/check_schema.py; do not edit.
//
// Names are the wire's own, in snake_case. Offsets into the grammar's text and into the output count bytes; token ids
// are the model's numbers.

/** A count before a pass of the compiler, and after it. */
export type BeforeAfter = [before: number, after: number];

/** A range of byte values; both ends belong to it. */
export type ByteRange = [lo: number, hi: number];

/** How a mask, or the entry of one state, was found. */
export type CacheClass = "context_hit" | "perfect_hit" | "partial_hit" | "miss";

/** An interval in nanoseconds of the session's clock. */
export type Lane = [begin: number, end: number];

/** A half-open range of bytes: of the grammar's text, unless another text is named. */
export type Span = [begin: number, end: number];

/** The status of a session. */
export type Status = "idle" | "running" | "paused" | "completed" | "terminated" | "error";

/** A continuation by its last token: `parent` is a row, -1 for the first token; `mass` and `drawn` are products along the path; `q` and `drawn` are null once it is blocked; `z` is the allowed mass after it, null if it is not continued. */
export type BeamRow = [parent: number, token_id: number, text: string, p: number, mass: number, q: number | null, drawn: number | null, allowed: boolean, ends: boolean, z: number | null];

/** A node of a derivation, in preorder: `parent` is the number of its row, `rule` -1 for a run of bytes, `end` -1 while it is open, `column` and `index` its last item or -1, `n_ways` how many ways its rule divides the text, `differs` 1 if not all listed trees have the node with these parts. */
export type ForestNode = [parent: number, rule: number, begin: number, end: number, column: number, index: number, n_ways: number, differs: number];

/** The maker of a mask entry: this grammar, another one through the tokenizer's pool, or the template of this instance. */
export type Maker = "own" | "pool" | "template";

/** A state that could have read the byte that died, and the bytes that it has edges for: hexadecimal, ranges apart by blanks. */
export type MissingEdge = [state: number, rule: number, bytes: string];

/** The beginning of a tag that is not a literal: its text, and the bytes that it can begin with; none are known for a call of a rule. */
export type OtherBeginning = [said: string, ranges: ByteRange[]];

/** A part of a cost, and its time in microseconds. */
export type PaidPart = [what: string, us: number];

/** The states that read a text of the tree of operators, by its place in the grammar. */
export type Reader = [begin: number, end: number, states: number[]];

/** An item that stepped over a rule which matched nothing. */
export type SteppedOver = [column: number, index: number, rule: number];

/** Other ways of an item: how many, and of those that were kept what the item reads, and what its child does where that alone differs. */
export type WaysRead = [column: number, index: number, n: number, ways: [item: string, child: string | null][]];

/** A token that might have been chosen. p and q are null without a model, provenance where no mask was known. */
export type Candidate = [token_id: number, text: string, p: number | null, q: number | null, provenance: number | null];

/** An item of the chart, and what made it; -1 where there is none. `op`: 0 start, 1 predict, 2 scan, 3 complete. */
export type ChartItem = [state: number, origin: number, op: number, source_column: number, source_index: number, child_column: number, child_index: number];

/** Another way in which an item was made. */
export type ChartWay = [op: number, source_column: number, source_index: number, child_column: number, child_index: number];

/** A pass of the compiler with its time in microseconds. Older traces have no facts. */
export type CompilePass = [name: string, us: number, facts?: PassFacts];

/** Passes in the order in which they were done; the parts of a pass follow it. */
export type CompilePasses = CompilePass[];

/** What chose a token: the model, the grammar (one token was allowed), the user, or a text that had to follow. */
export type Kind = "sampled" | "forced_by_grammar" | "forced_by_user" | "jump_forward";

/** A repetition round an operator, and which of its matches is on: between `low` and `high`. */
export type LoopCount = [loop: number, low: number, high: number];

/** Operators: a fixed text, a class of texts, a choice, operators one after the other, a repetition. */
export type OperatorKind = "Write" | "Wait" | "IfElse" | "Sequence" | "DoWhile";

/** An operator. `parent` is -1 at the root alone, `rule` an index into `rules`, `data` the first bytes of a Write in hexadecimal, `n_bytes` all of its bytes, `slot` and `argument` where it was filled in. */
export type OperatorRow = [kind: OperatorKind, parent: number, rule: number, begin: number, end: number, label: string, least: number | null, most: number | null, slot: string | null, argument: string | null, data: string | null, n_bytes: number | null];

/** The tree, or the reason why there is none. */
export type Operators = WireOperators | RefusedOperators;

/** A slot of a template. */
export type SlotRow = [scope: string, name: string, kind: string];

/** An item that was made in several ways: its column, its index, the number of other ways, then five numbers for each of the first eight of them, as in `ChartWay`. */
export type WaysRow = number[];

/** A step whose masks differ, and up to 100 ids that one side alone allows. */
export type DifferenceRow = [step: number, n_only_a: number, n_only_b: number, only_a: number[], only_b: number[]];

/** A token that one side alone allows, and what `accept_token` of both says. */
export type ListedToken = [token: number, text: string, p: number | null, is_of_a: boolean, accept_a: boolean, accept_b: boolean];

/** A round of times: nothing known, what other grammars share, everything known. */
export type Phase = "first" | "shared" | "warm";

/** The tokens of a text: where each begins, and its text. */
export type TapeTokens = [byte: number, text: string][];

/** An area of a host that can show a view beside the view's cell. */
export type Area = "tab" | "right";

/** The language of a pad's text. */
export type PadKind = "ebnf" | "json_schema" | "regex" | "structural_tag" | "lark";

/** Whether a pad's grammar is being made. */
export type PadStatus = "ready" | "compiling" | "cancelled";

/** How bad a finding is. */
export type Severity = "error" | "warning" | "hint";

/** What a word that an editor offers is. */
export type WordKind = "rule" | "terminal" | "macro" | "option" | "operator" | "keyword" | "value" | "format" | "snippet" | "slot";

/** Where the time of a session went. */
export interface Costs {
  /** null: the grammar came compiled; of an instance those of its template */
  passes: PassCost[] | null;
  /** all of them together */
  passes_us: number | null;
  /** all masks together */
  mask_us: number;
  /** of that, what no forward pass covered; null without a model */
  wait_us: number | null;
  /** all forward passes together */
  model_ms: number;
  /** masks */
  n_fills: number;
  /** the time of masks by rule, the dearest first */
  rules: RuleCost[];
  /** of an instance of a template */
  template: TemplateCost | null;
}

/** Figures of the whole trace. During a run a page gets them now and then. */
export interface Figures {
  /** where the time went */
  costs: Costs;
  /** what of it ran at once */
  lanes: LanesFacts;
  /** in words: the tokens in which the model had no choice; null where the operators are not recorded */
  share: string | null;
}

/** One derivation of an ambiguous text. */
export interface ForestTree {
  /** its nodes, parents before their parts */
  nodes: ForestNode[];
  /** the node at which it parts from another listed tree, counted among the nodes that are rules */
  parts_at: number | null;
  /** that node and its parts, in words */
  said: string;
}

/** Times of one kind, in nanoseconds. */
export interface LaneFigures {
  /** the median */
  p50: number;
  /** the 95th percentile */
  p95: number;
  /** the sum */
  sum: number;
}

/** Model and mask on one clock. */
export interface LanesFacts {
  /** by "model", "mask" and "wait" */
  rows: Record<string, LaneFigures>;
  /** the share of the masks' time that forward passes covered */
  hidden: number | null;
  /** the part of the compilation that the prompt's pass did not cover, in nanoseconds */
  prefill_wait: number | null;
}

/** The tags that a trigger leaves open: what the rule which it opens can begin with. */
export interface OpenedTags {
  /** the rule that is the tag dispatch */
  rule: number;
  /** the trigger, an index into the rule's watched texts */
  text: number;
  /** the literals, in the order of the source; those of a structural tag begin with the trigger itself */
  begins: string[];
  /** what else the rule can begin with; absent if there is nothing else */
  others?: OtherBeginning[];
}

/** Costs that are paid together. */
export interface Paid {
  /** once, or for each request */
  when: "offline" | "request";
  /** the same in words */
  name: string;
  /** all parts together */
  us: number;
  /** the parts that were timed */
  rows: PaidPart[];
}

/** The time of a pass of the compiler. */
export interface PassCost {
  /** the pass */
  name: string;
  /** when it began; a part begins where the one before it ends, within its pass */
  begin_us: number;
  /** how long it took */
  us: number;
  /** of a part: the pass that it is a part of */
  inside: string | null;
  /** of a part of lowering: the machines that its time is added up over */
  machines: number | null;
  /** what it changed, in words; empty where it left all as it was */
  change: string;
  /** the same in fewer words */
  change_in_short: string;
}

/** The masks that were requested inside a rule. */
export interface RuleCost {
  /** the rule; null: no item was live */
  rule: number | null;
  /** its name */
  name: string;
  /** its line */
  line: number | null;
  /** the time of its masks */
  us: number;
  /** the share of that in the time of all masks */
  share: number;
  /** its masks */
  n_fills: number;
  /** those that were built anew */
  n_misses: number;
  /** the time of the median mask */
  median_us: number;
  /** the step with the dearest */
  costliest: number;
}

/** The cost of an instance of a template. */
export interface TemplateCost {
  /** once, for all requests; and for this request, before its first token could be chosen */
  paid: Paid[];
  /** the passes of the request; null: they were not timed */
  passes: PassCost[] | null;
  /** all of them together */
  passes_us: number | null;
}

/** The place where the derivation tree of a text begins. */
export interface TreeRoot {
  /** one complete item, or the open ones, the outermost first */
  line: [column: number, index: number][];
  /** whether the item is complete */
  is_whole: boolean;
  /** complete items that could have been taken as well */
  n_others: number;
  /** what some of them read */
  also: string[];
}

/** The model's likeliest continuations of a step: `xg2lab.lab.session.beam.Beam`. */
export interface WireBeam {
  /** the step */
  step: number;
  /** how many tokens a continuation has at most */
  depth: number;
  /** how many allowed and how many blocked ones were kept at each length */
  width: number;
  /** the mass that the grammar allows at the step */
  z: number;
  /** the continuations, level by level */
  nodes: BeamRow[];
}

/** The derivations of a stretch of text: `xg2lab.lab.trace.forest.Derivations`. */
export interface WireForest {
  /** how many there are, in decimal digits; null: they were not counted */
  n_trees: string | null;
  /** whether there are infinitely many; `n_trees` then counts those without a cycle */
  is_infinite: boolean;
  /** the first of them */
  trees: ForestTree[];
  /** what is left out, and why; empty otherwise */
  note: string;
}

/** The operator that wrote a step's token. */
export interface Written {
  /** the operator that took its first byte; null: one of several did, or it was not recorded */
  writer: number | null;
  /** the operator in words */
  text: string;
  /** false: the step before was written by the same operator, and this one goes on */
  begins: boolean;
}

/** A rule whose members come in any order. */
export interface AnyOrder {
  /** the members, in the order of the grammar */
  members: AnyOrderMember[];
  /** whether they have to come in that order */
  ordered: boolean;
  /** the least number of members, together */
  min: number;
  /** the largest number of members, together; null: no limit */
  max: number | null;
}

/** A member of a rule whose members come in any order. */
export interface AnyOrderMember {
  /** the member's name, as the grammar writes it */
  name: string;
  /** whether a match must have it */
  required: boolean;
  /** whether it may come more than once */
  repeats: boolean;
}

/** An item of a counted rule. */
export interface CountedItem extends DottedItem {
  /** the rule's name */
  rule_name: string;
}

/** A rule that is a tag dispatch. */
export interface Dispatch {
  /** the texts that it watches for, in the order of its automaton's patterns */
  texts: WatchedText[];
}

/** The place of a state in a tag dispatch: `n_read` bytes of the text with the index `text` have been read. */
export interface DispatchPlace {
  /** watching for a trigger, or inside the rule that one opened */
  mode: "dispatching" | "dispatched";
  /** an index into the rule's watched texts; any of them while `n_read` is 0 */
  text: number;
  /** bytes of that text */
  n_read: number;
}

/** An item with its rule in words. */
export interface DottedItem extends Item {
  /** what of the rule has been matched */
  before: string;
  /** what of the rule is still to come */
  after: string;
}

/** An edge, without its place in the grammar's text. */
export interface DrawnEdge {
  /** the state that it leaves */
  from: number;
  /** the state that it leads to */
  to: number;
  /** what it consumes: one byte, one match of a rule, or one token */
  kind: "bytes" | "rule" | "token";
  /** what it consumes, readable */
  label: string;
  /** of an edge over bytes: the bytes */
  ranges: ByteRange[];
  /** of an edge over a rule: the rule */
  rule: number | null;
}

/** The machine of one rule, numbered from 0, as much of it as a picture needs. */
export interface DrawnProgram {
  /** the number of the one rule, 0; a picture does without */
  root?: number;
  /** the one rule */
  rules: DrawnRule[];
  /** its states */
  states: DrawnState[];
  /** the edges between them; a call names its rule by its label alone */
  edges: DrawnEdge[];
}

/** A rule, without its place in the grammar's text. */
export interface DrawnRule {
  /** its number in the program */
  id: number;
  /** its name in the grammar */
  name: string;
  /** the line of its definition, from 1; 0: it has none */
  line: number;
  /** the state in which it begins */
  start: number;
  /** its states: the first, and one past the last */
  states: Span;
  /** whether it matches the empty text */
  nullable: boolean;
  /** of a counted rule: what it repeats. Absent in programs of older traces */
  repeat?: Repeat | null;
  /** of a rule whose members come in any order */
  any_order?: AnyOrder;
  /** of a tag dispatch */
  dispatch?: Dispatch;
  /** of a rule with options */
  options?: RuleOptions;
  /** of a rule that is a token edge */
  tokens?: TokenSet;
  /** of a rule of the grammar as written: the states before its alternatives, if it has several */
  starts?: number[];
}

/** A state, without its place in the grammar's text. */
export interface DrawnState {
  /** its number in the program */
  id: number;
  /** the rule that it belongs to */
  rule: number;
  /** whether the rule may end here */
  accepting: boolean;
  /** what of the rule has been matched, readable */
  before: string;
  /** what of the rule is still to come, readable */
  after: string;
  /** of a state of a tag dispatch */
  dispatch?: DispatchPlace;
  /** in an instance of a template: a JSON Pointer to the argument that the state was made from. Absent in older traces */
  argument?: string;
  /** of a state of the grammar as written: whether the dot is inside a literal or a class */
  tight?: boolean;
}

/** An edge of the program. */
export interface Edge extends DrawnEdge {
  /** the parts of the grammar's text that it was made from */
  spans: Span[];
}

/** An item that expected another byte, and its place in the grammar's text. */
export interface ExpectedBy extends DottedItem {
  /** the rule's name */
  rule_name: string;
  /** the expressions that it expected */
  spans: Span[];
  /** the line of the first of them; absent, like the next two, if the rule is not in the text */
  line?: number;
  /** the column, in characters from 1 */
  column?: number;
  /** the whole line */
  line_text?: string;
  /** in an instance of a template: a JSON Pointer to the argument that the item reads */
  argument?: string;
  /** sent to pages: the name of the slot that the argument fills */
  slot?: string;
  /** sent to pages: the argument in words; absent if it is not known */
  argument_text?: string;
}

/** An item before a token edge. */
export interface ExpectedToken extends ExpectedBy {
  /** the rule that lists the tokens of the edge */
  tokens: string;
}

/** Why a token or a text is allowed or blocked: `GrammarMatcher.explain`. */
export interface Explanation {
  /** the token; null for a text that is no token */
  token_id: number | null;
  /** its bytes, in hexadecimal */
  bytes: string;
  /** its bytes, readable */
  text: string;
  /** whether the mask allows it */
  allowed: boolean;
  /** the part of the engine that decided: "accepted_by_cache", "rejected_by_cache", ... */
  mechanism: string;
  /** why, as a sentence */
  reason: string;
  /** the index of the byte at which the last parse ended; null if none ended */
  died_at: number | null;
  /** the parse byte by byte, up to that one */
  walk: WalkStep[];
  /** the bytes that were allowed there */
  expected: ByteRange[];
  /** the same, readable */
  expected_text: string;
  /** the items that expected them */
  expected_by: ExpectedBy[];
  /** items before token edges. Absent in older traces, like the next, and in what pages get: there they are in `expected_by` */
  expected_tokens?: ExpectedToken[];
  /** items whose counts took part in the decision */
  counted?: CountedItem[];
  /** the mask entry that decided; null: no entry alone did */
  entry: MaskEntry | null;
  /** sent to pages: the edges that the byte lacked, the innermost first */
  missing?: MissingEdge[];
  /** the same walk with the items of the grammar as written; absent where that was not recorded */
  walk_as_written?: WalkStep[];
  /** the items of the grammar as written that expected another byte or a token; absent like the walk */
  expected_as_written?: ExpectedBy[];
  /** sent to pages: `missing` of those items */
  missing_as_written?: MissingEdge[];
  /** sent in a replay: the text of an issue, as numbers of the trace's `issue_lines` */
  issue?: number[];
}

/** One partial parse. */
export interface Item {
  /** the state that the rule's machine has reached */
  state: number;
  /** the rule */
  rule: number;
  /** the byte of the output at which the rule began */
  origin: number;
  /** of a counted rule: how often its child has matched, readable; of an any-order rule: the members matched */
  done?: string;
}

/** The mask entry of a state: the split of the vocabulary that the cache holds. */
export interface MaskEntry {
  /** the state */
  state: number;
  /** its rule */
  rule: number;
  /** in a counted rule: how often its child will have matched after this one, as far as the mask depends on it */
  counts?: string | null;
  /** the form in which the accepted tokens are kept */
  storage: "accepted_list" | "rejected_list" | "bitset";
  /** tokens that the state alone accepts */
  n_accepted: number;
  /** tokens that the state alone rejects */
  n_rejected: number;
  /** tokens that need the parent */
  n_uncertain: number;
  /** the memory of the entry, in bytes */
  size_bytes: number;
  /** the time that building it took, in microseconds */
  build_us: number;
  /** how often the entry was used again */
  hits: number;
  /** how it was found. Absent in older traces, like the next three */
  cache?: CacheClass;
  /** the number of the grammar that built it */
  donor?: number;
  /** the name of that grammar */
  donor_name?: string;
  /** why other grammars can't use it; null if they can */
  unshared?: string | null;
  /** sent to pages: its maker */
  maker?: Maker;
}

/** What the grammars of one tokenizer share: `CompiledGrammar.pool_totals()`. */
export interface PoolTotals {
  /** machines' states with entries */
  n_states: number;
  /** mask entries */
  n_entries: number;
  /** their memory, in bytes */
  size_bytes: number;
  /** the limit of that memory, in bytes; -1: no limit */
  max_bytes: number;
  /** entries taken over as they were */
  n_perfect_hits: number;
  /** entries adapted to another lookahead */
  n_partial_hits: number;
  /** entries built */
  n_misses: number;
  /** entries that were removed to keep the limit */
  n_evictions: number;
}

/** The frozen grammar: `CompiledGrammar.program()`. */
export interface Program {
  /** the rule that a whole output matches; absent in programs written by hand: the first */
  root?: number;
  /** by number */
  rules: Rule[];
  /** by number; the states of one rule are adjacent */
  states: State[];
  /** in the order of the states that they leave */
  edges: Edge[];
}

/** What a counted rule repeats, and how often. */
export interface Repeat {
  /** the rule that is repeated */
  child: number;
  /** the least number of matches */
  min: number;
  /** the largest number of matches; null: no limit */
  max: number | null;
}

/** A rule of the program. */
export interface Rule extends DrawnRule {
  /** its definition in the grammar's text */
  span: Span;
}

/** The options of a rule that are used at run time; each is absent if the rule doesn't set it. */
export interface RuleOptions {
  /** the largest number of tokens of one match */
  max_tokens?: number;
  /** the name under which a match is kept */
  capture?: string;
  /** the temperature of the sampling inside the rule */
  temperature?: number;
  /** the rule whose matches are the captured list */
  parts?: number;
  /** whether the match is left out of the captured text */
  hidden?: boolean;
}

/** One frame: when a match of the rule `called` is complete, the parse goes on in `state`. */
export interface StackFrame {
  /** its number in this tree */
  id: number;
  /** the frame below it, which need not be listed; null: the frame is the lowest */
  below: number | null;
  /** the rule that was called */
  called: number;
  /** the state to return to */
  state: number;
  /** in a counted rule: how often its child has matched, readable */
  counts: string | null;
}

/** The top of one stack of the pushdown automaton. */
export interface StackTop {
  /** the state of the automaton */
  state: number;
  /** the frame below it; null: the stack is empty */
  below: number | null;
}

/** The automaton's stacks as one tree: stacks share frames. See `xg2lab.lab.trace.stacks`. */
export interface StackTree {
  /** all stacks, also those that are not listed */
  n_stacks: number;
  /** the frames of the listed stacks, also those that are not listed */
  n_frames: number;
  /** the stacks that are listed */
  tops: StackTop[];
  /** the frames that are listed, lower ones before higher ones */
  frames: StackFrame[];
}

/** What became of a machine's states between two stages. */
export interface StageMarks {
  /** for each state the states before the pass that it comes from; none: the state is new */
  stands_for: number[][];
  /** of a new state, by its number, the rules whose machine was written in */
  within: Record<string, string[]>;
  /** states before the pass from which no state comes */
  gone: number[];
}

/** A state of the program. */
export interface State extends DrawnState {
  /** whether an edge from it consumes a byte */
  scannable: boolean;
  /** the parts of the grammar's text that it reads */
  spans: Span[];
}

/** The tokens that the edge of a token rule consumes. */
export interface TokenSet {
  /** token ids, ascending */
  ids: number[];
  /** whether the edge consumes all tokens but these */
  negated: boolean;
}

/** The parse after one byte of the token. */
export interface WalkStep {
  /** the value of the byte, 0 to 255 */
  byte: number;
  /** whether a parse was left after it */
  alive: boolean;
  /** the parses that were left */
  items: DottedItem[];
  /** sent to pages: the place of the innermost of them */
  inner?: number | null;
}

/** A text that a tag dispatch watches for. */
export interface WatchedText {
  /** the text */
  text: string;
  /** what its end does: it opens a rule, it ends the dispatch, or it may not occur */
  kind: "trigger" | "stop" | "exclude";
}

/** A rule's machine before and after a pass of the compiler: `xg2lab.compiling.stages.Stage`. */
export interface WireStage {
  /** the pass, or "as written" */
  name: string;
  /** null: there is no such rule at this stage, or `note` says why the machine is not known */
  machine: DrawnProgram | null;
  /** the names of all rules of the stage */
  rules: string[];
  /** null: there is no machine before it, or the two are too large to be compared */
  marks: StageMarks | null;
  /** why the machine is not known; empty if it is */
  note: string;
}

/** An operator that is active before a token. */
export interface ActiveOperator {
  /** its number in the tree */
  operator: number;
  /** of a Write: the bytes that are written */
  n_written: number;
  /** the repetitions round it */
  counts: LoopCount[];
  /** of a Wait for a shortest match: what has been read of its end */
  watched: string;
}

/** The operators that are active before a token. */
export interface ActiveOperators {
  /** all of them, also those that are not listed */
  n: number;
  /** the first 64 */
  at: ActiveOperator[];
  /** sent to pages: words beside an operator, by its number: repetitions, branches taken, bytes */
  said?: Record<string, string>;
}

/** An author's note: about a step, about a token of that step, or about a rule. */
export interface Annotation {
  /** names the note in its trace; later notes have larger numbers */
  number: number;
  /** plain text, 1 to 2,000 characters */
  text: string;
  /** the step */
  step?: number;
  /** the token of that step */
  token?: number;
  /** in place of a step, the name of the rule */
  rule?: string;
}

/** The grammar without the passes that rewrite rules, and its chart of the same output. */
export interface AsWritten {
  /** its program, with an item's text as the author wrote it. Absent if there is none, and in a push to a page that has it */
  program?: Program;
  /** its chart; in a push the columns that follow those that stay */
  chart: Chart;
  /** why there is no program, or where the chart ends; empty otherwise */
  note: string;
}

/** Decisions that were taken back. */
export interface Branch {
  /** the index of the first */
  at: number;
  /** the decisions */
  steps: Step[];
}

/** The token with which an unconstrained output left the grammar. */
export interface Broke {
  /** its step */
  step: number;
  /** the byte of the output that no parse took */
  byte: number;
  /** the token */
  token_id: number;
  /** the token, readable */
  text: string;
  /** why, as a sentence */
  reason: string;
  /** the part of the engine that decided */
  mechanism: string;
  /** what was expected there */
  expected_text: string;
  /** the items that expected it */
  expected_by: ExpectedBy[];
}

/** The Earley chart of the output. */
export interface Chart extends ToldChart {
  /** the items by column, one column for each byte and one before the first */
  columns: ChartItem[][];
  /** items that were made in several ways, in the order of columns. Absent where there are none, and in older traces */
  ways?: WaysRow[];
}

/** A message of a chat, as chat templates read it. */
export interface ChatMessage {
  /** who wrote it: "system", "user", "assistant", "tool", or a role of the model's own */
  role: string;
  /** its text */
  content: string;
}

/** The grammar's text. */
export interface GrammarFacts {
  /** the text that all spans point into */
  text: string;
  /** the name of its root rule */
  root: string;
  /** as EBNF, where the text is a template's and its arguments are not known */
  written_out?: string;
}

/** What is known of a session before its first step. */
export interface Header extends HeaderFacts {
  /** the session's name */
  name: string;
  /** how tokens are drawn */
  sampling: Sampling;
  /** whether the mask is applied */
  constrained: boolean;
  /** the text that the model read before the output */
  prompt: string;
  /** the most tokens that the model can read after the prompt; null: there is no model, or none is known. Absent in older traces */
  most_tokens?: number | null;
  /** what the model's chat template made the prompt of; null: the prompt was given as text. Absent in older traces */
  messages?: ChatMessage[] | null;
  /** whether masks are made during forward passes. Absent in older traces, like the next */
  overlap?: boolean | null;
  /** when the grammar was compiled; null: it came compiled */
  compile_lane?: Lane | null;
}

/** The facts that engine and model have about a session before its first step. */
export interface HeaderFacts {
  /** null: there is none, and tokens are chosen by the user */
  model: ModelFacts | null;
  /** the number of token ids */
  vocab_size: number;
  /** the grammar's text */
  grammar: GrammarFacts;
  /** the template whose instance the grammar is; null: it is none. Absent in older traces */
  template?: TemplateFacts | null;
  /** the fields of `EngineOptions` */
  options: Record<string, unknown>;
  /** the time of compiling the grammar */
  compile_us: number | null;
  /** the passes of the compiler (of the template, for an instance); null: they were not timed. Absent in older traces */
  compile_passes?: CompilePasses | null;
}

/** The blocked mass of a step by the rule that refused it. See `xg2lab.lab.trace.lost_mass`. */
export interface LostMass {
  /** 1 - Z */
  total: number;
  /** the groups, the largest first */
  groups: LostTo[];
  /** the mass of the tokens that were not explained */
  rest: number;
  /** their number */
  n_rest: number;
}

/** The mass that one place of the grammar took. */
export interface LostTo {
  /** the rule, or the kind of token where no rule took it */
  name: string;
  /** the rule's number; null where no rule took it, like the next two */
  rule: number | null;
  /** the line of the place; null also where the rule has none */
  line: number | null;
  /** its column */
  column: number | null;
  /** what was expected there */
  expected: string;
  /** the part of the engine that decided */
  mechanism: string;
  /** the probability of the group */
  mass: number;
  /** its tokens, the most probable first */
  token_ids: number[];
}

/** The model of a session. */
export interface ModelFacts {
  /** the runner's name */
  name: string;
  /** where it runs: "cpu", "cuda:0" */
  device: string;
  /** the type of its weights */
  dtype: string;
  /** the number of its parameters */
  n_parameters: number;
}

/** The changes of a pass of the compiler; facts that don't concern the pass are absent. */
export interface PassFacts {
  /** of a part: the pass that it is a part of */
  inside?: string;
  /** rules */
  rules?: BeforeAfter;
  /** expressions of the grammar */
  exprs?: BeforeAfter;
  /** states of machines; 0 before: they were made of expressions */
  states?: BeforeAfter;
  /** of a part of lowering: the machines that its time is added up over */
  machines?: number;
}

/** Why a grammar has no tree of operators. */
export interface RefusedOperators {
  /** the reason */
  refused: string;
  /** the remedy */
  hint: string;
  /** the calls of its cycle */
  spans: Span[];
}

/** How tokens are drawn. */
export interface Sampling {
  /** what the logits are divided by; 0: greedy */
  temperature: number;
  /** the number of tokens that q keeps; 0: all */
  top_k: number;
  /** the share of the mass that q keeps */
  top_p: number;
  /** the seed of the random numbers */
  seed: number;
}

/** The selection of all views of a session; null: nothing. */
export interface Selection {
  /** a step */
  step: number | null;
  /** a token id */
  token: number | null;
  /** an offset into the output */
  byte: number | null;
  /** a rule */
  rule: number | null;
  /** an item of the chart */
  item: [column: number, index: number] | null;
  /** a state */
  state: number | null;
  /** the state of a mask entry */
  mask_entry: number | null;
}

/** One decision: the state before its token, and the token once it is chosen. */
export interface Step {
  /** its number, from 0 */
  index: number;
  /** what chose the token; null: the step is pending */
  kind: Kind | null;
  /** the token; null while pending */
  token_id: number | null;
  /** the token, readable */
  text: string;
  /** its bytes in the output, in hexadecimal; none for a stop token, and for a special token that no token edge crossed */
  bytes: string;
  /** the place of the token in the output */
  byte_begin: number;
  /** the length of `bytes` */
  n_bytes: number;
  /** the model's probability of the token; null while pending and without a model, like the next two */
  p: number | null;
  /** the probability that the token was drawn with */
  q: number | null;
  /** the place of the token in the order of p, from 1 */
  rank: number | null;
  /** the model's mass on the allowed tokens, Z */
  z: number | null;
  /** -ln Z, in nats; null where Z is 0 in float64 */
  kl: number | null;
  /** what the logits were divided by; 0: greedy, and p is for temperature 1. Null without a model; absent in older traces */
  temperature?: number | null;
  /** allowed tokens; null where the output had left the grammar */
  n_allowed: number | null;
  /** the time of the engine's mask */
  mask_us: number | null;
  /** the time of the forward pass before the decision (of the prompt, for step 0) */
  model_ms: number | null;
  /** the time of accepting the token */
  accept_us: number | null;
  /** when each part was done. Absent in older traces */
  lanes?: StepLanes | null;
  /** how the mask was found: `GrammarMatcher.last_fill()`, as are the next four */
  cache: CacheClass | null;
  /** how the mask was made. Absent in older traces */
  way?: string | null;
  /** entries that were built for it */
  n_built: number | null;
  /** entries that were adapted for it. Absent in older traces */
  n_adapted?: number | null;
  /** tokens that were checked one by one */
  n_checked: number | null;
  /** what grammars shared when the mask had been made; null with `cross_grammar_cache` off. Absent in older traces */
  pool?: PoolTotals | null;
  /** with `parser="pda"`: 24 of the automaton's stacks and the 96 frames nearest to their tops. Null for Earley's parser, absent in older traces */
  stacks?: StackTree | null;
  /** the active operators; null where they are not recorded (`Session.record_operators`), where the grammar has no tree, and past the limits of the work on one step. Absent in older traces */
  operators?: ActiveOperators | null;
  /** the 20 most probable tokens, then allowed ones until 10 of these are listed */
  top: Candidate[];
  /** the mask entries of the state: `mask_entries()` */
  entries: MaskEntry[];
  /** the items of the state: `live_items()` */
  live: Item[];
  /** whether the output before the token is a whole sentence */
  completed: boolean;
  /** whether the output ended with the token; no step follows */
  terminated: boolean;
  /** explanations by token id: of the 6 most probable blocked tokens, and of the chosen one */
  explain: Record<string, Explanation>;
  /** sent to pages, like the next four: what was blocked, by rule, as far as it was recorded */
  lost?: LostMass | null;
  /** the place of the innermost live item */
  inner?: number | null;
  /** where the derivation tree of the text before the step begins; null where the chart was not recorded */
  root?: TreeRoot | null;
  /** the same in the chart as written; absent where that is not recorded */
  root_as_written?: TreeRoot | null;
  /** the operator that took the first byte; null where no operators were recorded */
  written?: Written | null;
}

/** When the parts of a decision were done; null for a part that was not done. */
export interface StepLanes {
  /** the forward pass (of the prompt, for step 0), until its logits were in host memory */
  model: Lane | null;
  /** the fill of the mask */
  mask: Lane | null;
  /** the mask put on the logits; p, q and Z */
  apply: Lane | null;
  /** the draw */
  sample: Lane | null;
  /** the part of the mask's time that the model's did not cover; null without both */
  wait_ns: number | null;
}

/** The template whose instance the grammar is: enough to make the grammar again. */
export interface TemplateFacts {
  /** the language of its text */
  kind: "ebnf" | "json_schema";
  /** its text */
  text: string;
  /** the name of its root rule */
  root: string;
  /** the options that it was read with; `encode` has each text with its ids, if the texts come in tokens */
  options: Record<string, unknown>;
  /** the arguments; bytes and grammars are objects with a key that begins with $ */
  arguments: Record<string, unknown>;
  /** its slots */
  slots: SlotRow[];
  /** why an instance is compiled from the written-out grammar; empty if instances are linked */
  obstacles: string[];
  /** states of the template's program */
  n_states: number;
  /** the time of compiling the template */
  compile_us: number;
  /** the time of its masks; null: the template came compiled */
  masks_us: number | null;
  /** the time of making the instance */
  instantiate_us: number;
  /** the passes of the instance; null: it came made. Absent in older traces */
  request_passes?: CompilePasses | null;
}

/** What pages are told of the chart beside its columns. */
export interface ToldChart {
  /** sent to pages: what an item's other ways read */
  ways_read?: WaysRead[];
  /** sent to pages: the rules that matched nothing */
  stepped_over?: SteppedOver[];
}

/** What pages are told of the whole trace; of these, a saved trace has the first four. */
export interface ToldTrace {
  /** the tree of operators, or why there is none. Absent if it was not requested, and in older traces */
  operators?: Operators;
  /** the grammar as written. Absent if it was not requested, and in older traces */
  as_written?: AsWritten;
  /** by step: the model's likeliest continuations, of the steps that were asked about last */
  beams?: Record<string, WireBeam>;
  /** the author's notes, at most 200. Absent in older traces; in a push, absent if they are as they were */
  annotations?: Annotation[];
  /** sent to pages: whether the grammar is an instance that was linked from a template */
  linked?: boolean;
  /** sent to pages: the tags that the triggers of its dispatches leave open */
  tags?: OpenedTags[];
  /** sent to pages that show some: figures of the whole trace. During a run, now and then */
  figures?: Figures;
}

/** The record of a session, as the page holds it. */
export interface Trace extends ToldTrace {
  /** the version of the wire */
  version: 1;
  /** what is known before the first step */
  header: Header;
  /** the frozen grammar */
  program: Program;
  /** the decisions; the last may be pending */
  steps: Step[];
  /** decisions taken back, in the order of time */
  branches: Branch[];
  /** the Earley chart */
  chart: Chart;
  /** what the trace leaves out, and which limit did it */
  notes: string[];
  /** sent in a replay: lines of the texts of issues */
  issue_lines?: string[];
  /** sent in a replay, by step: the derivations of the ambiguous texts before the newest steps */
  forests?: Record<string, WireForest>;
}

/** The record of a session, as a file holds it. */
export interface TraceFile extends Trace {
  /** where an unconstrained output left the grammar */
  broke: Broke | null;
  /** by step: provenance and probability of every token, each in base64 of zlib, or null */
  bulk?: Record<string, unknown>;
}

/** The grammar's tree of operators. See `xg2lab.lab.trace.operators`. */
export interface WireOperators {
  /** operators */
  n: number;
  /** whether a text says at each byte which operator is active; null: not known */
  is_deterministic: boolean | null;
  /** how many operators can be active at once; null: not known */
  most_active: number | null;
  /** the names of the rules */
  rules: string[];
  /** the operators, parents before their parts */
  rows: OperatorRow[];
  /** sent to pages: the states that read each text of the tree */
  readers?: Reader[];
  /** sent to pages, of operators that fill a slot, by number: the argument in words */
  filled?: Record<string, string>;
  /** sent to pages, in words: how large the tree is, and how many of its operators can be active at once */
  headline?: string;
}

/** What an audit has found so far: `xg2lab.lab.auditing.auditing.AuditReport`. */
export interface AuditReport {
  /** the number of token ids */
  vocab_size: number;
  /** the steps to check */
  n_steps: number;
  /** by state, in the order of the first visit */
  states: StateAudit[];
  /** of the tokenizer */
  checks: Check[];
  /** of the schema's keywords; empty without a schema */
  coverage: KeywordState[];
  /** the steps checked with every token */
  n_done: number;
  /** the time so far */
  seconds: number;
  /** why it ended before all was checked; empty if all was */
  stopped: string;
  /** whether more will be found */
  is_running: boolean;
  /** the text of the session that was audited */
  output: string;
  /** whether masks and acceptance agree so far, and no check failed */
  ok: boolean;
}

/** A question about the tokenizer, and its answer. */
export interface Check {
  /** the question */
  name: string;
  /** how bad the answer is */
  level: "ok" | "hint" | "warning" | "error";
  /** the answer */
  value: string;
  /** more of it */
  details: string;
  /** tokens that show it */
  token_ids: number[];
  /** lines that show it */
  repro: string;
}

/** What a comparison has found so far: `xg2lab.lab.comparison.comparison.CompareReport`. */
export interface CompareReport {
  /** one side */
  a: Side;
  /** the other side */
  b: Side;
  /** what is compared at each step; "byte" for different vocabularies */
  unit: "token" | "byte";
  /** whether any difference is an error */
  must_agree: boolean;
  /** what differs between the sides, in words, with both values */
  changes: [what: string, a: string, b: string][];
  /** the fields of `EngineOptions` that differ, with both values */
  changed: Record<string, [a: string, b: string]>;
  /** whether the sides have different grammars */
  is_other_grammar: boolean;
  /** the token, or byte, of each step */
  texts: string[];
  /** the steps to compare */
  n_steps: number;
  /** the rounds of times to take */
  n_rounds: number;
  /** the steps compared */
  n_done: number;
  /** the rounds taken */
  rounds_done: number;
  /** allowed tokens of both sides by step */
  n_allowed: [a: number, b: number][];
  /** the first 100 steps whose masks differ */
  differences: DifferenceRow[];
  /** all steps whose masks differ */
  n_differing_steps: number;
  /** bits that differ, over all steps */
  n_differ: number;
  /** where the sides part; null: they don't */
  divergence: Divergence | null;
  /** B's median mask time over A's; null before the first round */
  ratios: Record<Phase, number | null>;
  /** the same of all steps together */
  total_ratios: Record<Phase, number | null>;
  /** the least and the greatest of the rounds' ratios, and of the times of compiling */
  spreads: Record<Phase | "compile", [least: number, greatest: number] | null>;
  /** the same of all steps together */
  total_spreads: Record<Phase, [least: number, greatest: number] | null>;
  /** what is worth saying, as sentences */
  findings: [level: Severity, text: string][];
  /** lines that show a disagreement that must not be */
  repro: string;
  /** what the search for the shortest text found; null: it was not requested */
  shortest: Shortest | null;
  /** base64 of both masks of some steps, see `xg2lab.lab.trace.compared_masks`; empty while it runs */
  masks: string;
  /** the tokens of the text for both sides; null: B's are A's */
  tapes: [a: TapeTokens, b: TapeTokens | null];
  /** the time so far */
  seconds: number;
  /** why it ended before all was compared; empty if all was */
  stopped: string;
  /** whether more will be found */
  is_running: boolean;
  /** whether nothing that must agree differs, and both sides could be asked */
  ok: boolean;
}

/** A token whose bit in the mask and whose acceptance differ. */
export interface Disagreement {
  /** the step */
  step: number;
  /** the token */
  token_id: number;
  /** the token, readable */
  text: string;
  /** whether the mask allows it */
  mask: boolean;
  /** whether `accept_token` takes it */
  accept: boolean;
  /** lines that show it */
  repro: string;
  /** whether a vocabulary of this one token shows it */
  is_small: boolean;
}

/** The first step whose masks differ, or whose token one side refuses. */
export interface Divergence {
  /** the step */
  step: number;
  /** the place of the step in the output */
  byte: number;
  /** the token there; null at the end of the text */
  token_id: number | null;
  /** the token, readable */
  text: string;
  /** whether A accepts it */
  takes_a: boolean;
  /** whether B accepts it */
  takes_b: boolean;
  /** why A refuses a token that B allows */
  reason_a: string;
  /** why B refuses a token that A allows */
  reason_b: string;
  /** the model's mass on the tokens that differ */
  mass: number | null;
  /** tokens that differ, the text's own first, then the most probable */
  listed: ListedToken[];
}

/** An engine that can be compared: `xg2lab.lab.engines.registry.KnownEngine`, or one that Python gave. */
export interface EngineChoice {
  /** its name */
  name: string;
  /** what it is */
  what: string;
  /** the installed version; empty: it is not installed */
  version: string;
  /** how to install it; empty: nothing to install */
  install: string;
}

/** A step at which two engines part: `xg2lab.lab.engines.engine_comparison.EngineDisagreement`. */
export interface EngineDisagreement {
  /** the first engine, the reference */
  a: string;
  /** the other engine */
  b: string;
  /** the step */
  step: number;
  /** the place of the step in the text */
  byte: number;
  /** the text's token there; null at its end */
  token_id: number | null;
  /** the token, readable */
  text: string;
  /** the token's bytes, in hexadecimal */
  bytes: string;
  /** whether the first accepts it */
  takes_a: boolean;
  /** whether the other accepts it */
  takes_b: boolean;
  /** how many tokens the first mask alone allows */
  n_only_a: number;
  /** how many the other alone allows */
  n_only_b: number;
  /** up to 100 of the first's ids */
  only_a: number[];
  /** up to 100 of the other's ids */
  only_b: number[];
  /** up to 20 of these tokens, the text's own first */
  listed: [token: number, text: string, bytes: string, is_of_a: boolean][];
  /** who is wrong; empty: not asked, or not yet */
  verdicts: EngineVerdict[];
}

/** What a comparison of engines has found so far: `xg2lab.lab.engines.engine_comparison.EngineComparison`. */
export interface EngineReport {
  /** the engines, the reference first */
  engines: EngineSide[];
  /** the kind of grammar that they were given */
  kind: string;
  /** the number of token ids */
  vocab_size: number;
  /** the masks of an engine that follows the whole text */
  n_steps: number;
  /** the length of the text */
  n_bytes: number;
  /** the tokens of the text */
  tape: [byte: number, text: string][];
  /** by step and engine: equal numbers for equal masks, -1 where the engine has none */
  groups: number[][];
  /** for each engine but the first: the first masks that differ, and the first token that one alone takes */
  disagreements: EngineDisagreement[];
  /** base64 of the masks of some steps, see `xg2lab.lab.trace.compared_masks`; empty while it runs */
  masks: string;
  /** the report as text */
  says: string;
  /** what is being done; empty when nothing is */
  doing: string;
  /** parts of the work that are done */
  n_done: number;
  /** all parts */
  n_all: number;
  /** the time so far */
  seconds: number;
  /** why it ended before all was compared; empty if all was */
  stopped: string;
  /** whether more will be found */
  is_running: boolean;
  /** whether no two engines disagree, and none failed */
  ok: boolean;
}

/** One engine's part of a comparison: `xg2lab.lab.engines.engine_comparison.EngineRow`. */
export interface EngineSide {
  /** the engine */
  name: string;
  /** the installed version; empty if unknown */
  version: string;
  /** how far it has come */
  phase: "waiting" | "starting" | "compiling" | "masks" | "times" | "done";
  /** why it does not read the grammar; empty if it does */
  refused: string;
  /** how it failed: it crashed, took too long, raised an error; empty if it did not */
  failed: string;
  /** the times of compiling: first with the vocabulary prepared, then again */
  compile_us: number[];
  /** the time of each mask just after compiling */
  cold_us: number[];
  /** the same, the median of three more replays */
  warm_us: number[];
  /** allowed tokens by step */
  n_allowed: number[];
  /** how many tokens of the text it accepts */
  n_followed: number;
  /** the step at which the engine refuses the token; null: it refuses none */
  refuses: number | null;
  /** the text of an issue about it; empty: nothing to report, or not yet; null: too long for a page */
  issue: string | null;
}

/** Who is wrong at a disagreement: `xg2lab.lab.engines.engine_comparison.Verdict`. */
export interface EngineVerdict {
  /** the engine; empty if undecided */
  wrong: string;
  /** the reason */
  kind: "allows_invalid" | "forbids_valid" | "narrower" | "mask_is_not_accept" | "undecided";
  /** the reason as a sentence, with the instance */
  why: string;
  /** the text that decides; empty if there is none */
  instance: string;
  /** engine and reason as a sentence */
  says: string;
}

/** What became of a keyword of a schema. */
export interface KeywordState {
  /** its place in the schema, a JSON Pointer */
  pointer: string;
  /** the keyword */
  keyword: string;
  /** what the grammar does about it */
  state: "enforced" | "annotation" | "relaxed" | "refused";
  /** why */
  note: string;
  /** lines that show it */
  repro: string;
}

/** The masks of two sides at one place: `xg2lab.lab.comparison.lockstep_report.Held`. */
export interface LockstepHeld {
  /** the step of each */
  steps: number[];
  /** where the first side's step begins */
  byte: number;
  /** whether both texts before it are equal */
  is_same_text: boolean;
  /** how many tokens the first side alone allows */
  n_only_a: number;
  /** how many the other alone allows */
  n_only_b: number;
  /** the most probable of the first side's */
  only_a: [token: number, text: string, p: number | null][];
  /** the most probable of the other's */
  only_b: [token: number, text: string, p: number | null][];
}

/** Runs side by side: `xg2lab.lab.comparison.lockstep_report.LockstepReport`. */
export interface LockstepReport {
  /** two to four; the others are held against the first */
  sides: LockstepSide[];
  /** what differs between the sessions, with the value of each */
  varies: [what: string, values: string[]][];
  /** for each side but the first, where it parts from the first; null: it does not */
  partings: (WireParting | null)[];
  /** by step of the first side, for its newest 64 steps: the masks of the others at the same byte */
  held: Record<string, (LockstepHeld | null)[]>;
  /** the masks of the newest steps of all sides */
  newest: (LockstepHeld | null)[];
  /** whether a run is on */
  is_running: boolean;
}

/** One side of a lockstep: `xg2lab.lab.comparison.lockstep_report.RunSide`. */
export interface LockstepSide {
  /** the session's name */
  name: string;
  /** the session's status */
  status: Status;
  /** why its last step failed; empty if it did not */
  stopped: string;
  /** what to do about it */
  hint: string;
  /** the mass that its masks removed: the sum of -ln Z; null without a model */
  nats: number | null;
  /** its steps; the last one may be pending */
  steps: [byte: number, n_bytes: number, token_id: number | null, text: string, z: number | null, n_allowed: number | null][];
}

/** The shortest text on which two sides part, as far as it is known: `xg2lab.lab.comparison.shortest.Shortest`. */
export interface Shortest {
  /** they part, they are proved equal, no difference was found, or a side was refused */
  verdict: "part" | "equal" | "none" | "refused";
  /** the text, in hexadecimal */
  text: string;
  /** the text, readable */
  shown: string;
  /** bytes that A alone allows after it */
  only_a: ByteRange[];
  /** bytes that B alone allows after it */
  only_b: ByteRange[];
  /** the result as a sentence */
  says: string;
  /** whether the text may end for A */
  ends_a: boolean;
  /** whether the text may end for B */
  ends_b: boolean;
  /** why A refuses what B allows */
  reason_a: string;
  /** why B refuses what A allows */
  reason_b: string;
  /** both allow the same texts of up to so many bytes */
  n_bytes: number;
  /** pairs of columns that were compared */
  n_pairs: number;
  /** pairs that were not compared yet */
  n_waiting: number;
  /** the time so far */
  seconds: number;
  /** what ended the search, or why equality could not be proved */
  why: string;
  /** whether the search goes on */
  is_running: boolean;
  /** ids that one mask alone has, for sides of one vocabulary */
  tokens: number[];
}

/** One side of a comparison. */
export interface Side {
  /** A or B */
  name: string;
  /** the number of token ids */
  vocab_size: number;
  /** the time of compiling, the median of the rounds */
  compile_us: number | null;
  /** states of the program */
  n_states: number;
  /** mask entries */
  n_entries: number;
  /** the memory of program and entries */
  memory_bytes: number;
  /** why the engine refused the grammar with these options; empty if it did not */
  refused: string;
  /** how each mask was found when nothing was known */
  caches: string[];
  /** the time of each mask by phase, the median of the rounds */
  us: Record<Phase, number[]>;
}

/** A place in the grammar's text. */
export interface SourceLine {
  /** the line, from 1 */
  line: number;
  /** the column, in characters from 1 */
  column: number;
  /** the line itself */
  text: string;
}

/** The visits of one state; its counts are those of the first. */
export interface StateAudit {
  /** the state, readable */
  name: string;
  /** its number; null: no item was live */
  state: number | null;
  /** the steps before which the innermost item stood in it */
  steps: number[];
  /** of these steps so many were checked, each with every token */
  n_checked: number;
  /** allowed tokens */
  n_allowed: number;
  /** uncertain tokens that were accepted */
  n_uncertain_accepted: number;
  /** uncertain tokens that were rejected */
  n_uncertain_rejected: number;
  /** at most 50 tokens whose bit is wrong */
  disagreements: Disagreement[];
}

/** A switch of the engine that a comparison can change. */
export interface SwitchFacts {
  /** the field of `EngineOptions` */
  name: string;
  /** what it switches */
  what: string;
  /** its values, with their names */
  values: [value: string, name: string][];
  /** the session's own value */
  own: string;
}

/** What became of pasted token ids: `xg2lab.lab.session.diagnosing.Diagnosis`. */
export interface WireDiagnosis {
  /** what is wrong with the token at `step`; or "ended", "complete", "unfinished": all were accepted */
  kind: string;
  /** the number of ids */
  n_ids: number;
  /** how many were accepted: the index of the one that was not */
  step: number;
  /** the byte of the output at which it failed */
  byte: number;
  /** the token that failed */
  token_id: number | null;
  /** the token, readable */
  text: string;
  /** the part of the engine that decided; empty where the engine was not asked */
  mechanism: string;
  /** why, as a sentence */
  reason: string;
  /** what to look at next */
  hint: string;
  /** where in the pasted text the ids were found */
  source: string;
  /** the line that expected another byte; null: there is none */
  line: SourceLine | null;
  /** the text of an issue, with lines that reproduce it */
  issue: string;
}

/** The grammar that a mask entry was taken over from: `xg2lab.lab.trace.donors.Donor`. */
export interface WireDonor {
  /** its number */
  id: number;
  /** its name */
  name: string;
  /** its text */
  grammar: GrammarFacts;
  /** its program */
  program: Program;
  /** the state of that program that the entry is of; null: not known */
  state: number | null;
}

/** Where a side parts from the first: `xg2lab.lab.comparison.parting.Parting`. */
export interface WireParting {
  /** the first byte of the output that differs */
  byte: number;
  /** the step of each of the two that wrote it */
  steps: number[];
  /** their tokens, readable */
  texts: string[];
  /** a mask blocks the other's token; both allow both; or one output has ended */
  why: "blocked" | "drawn" | "ended";
  /** the sentence */
  says: string;
  /** what each blocks of the other's */
  refused: WireRefused[];
}

/** What one side took and the other blocks: `xg2lab.lab.comparison.parting.Refused`. */
export interface WireRefused {
  /** whether it is the first side that blocks it */
  is_a: boolean;
  /** the step of that side */
  step: number;
  /** the token; null: it is a text of several tokens there */
  token_id: number | null;
  /** the token or text, readable */
  text: string;
  /** the part of the engine that decided */
  mechanism: string;
  /** why, as a sentence */
  reason: string;
  /** what was expected in its place */
  expected: string;
}

/** An example with its verdict. */
export interface BenchRow {
  /** its number; -1: it is judged while it is typed */
  row_id: number;
  /** the example */
  text: string;
  /** whether it is meant to match */
  should_match: boolean;
  /** where it comes from */
  origin: string;
  /** what the grammar says; null: it was not asked yet */
  verdict: "match" | "incomplete" | "rejected" | null;
  /** whether that is what was meant */
  agrees: boolean | null;
  /** of a rejected example: the byte */
  died_at: number | null;
  /** what was expected there */
  expected: string;
  /** of an incomplete example: a text that completes it */
  for_example: string;
  /** the rule that expected another byte */
  rule: string;
  /** the line of that rule */
  line: number | null;
  /** the revision of the grammar that gave the verdict */
  judged_by: number;
  /** the time that it took, in microseconds */
  us: number;
}

/** What comes with a mask; the buffers are its provenance and its probabilities, a byte for each token. */
export interface BulkHeader {
  /** the step */
  step: number;
  /** the probability mass by provenance, 8 numbers; null without a model */
  mass: number[] | null;
}

/** Something that is wrong with a text, and where; spans count bytes of the text. */
export interface Finding {
  /** the name of the check */
  code: string;
  /** how bad it is */
  severity: Severity;
  /** what is wrong */
  message: string;
  /** the remedy; empty if there is none to name */
  hint: string;
  /** the place */
  span: Span;
  /** its line, from 1 */
  line: number;
  /** its column, in characters from 1 */
  column: number;
  /** in a JSON text: a JSON Pointer to the place */
  pointer: string | null;
  /** a change that mends it */
  fix: Fix | null;
  /** of a template's text: whether the mistake is in its arguments, and has a place in their text too */
  of_arguments?: boolean;
}

/** A change that mends a finding. */
export interface Fix {
  /** what it does */
  title: string;
  /** the whole text after it */
  text: string;
}

/** What `Workbench` is asked to show; what a reader changes of it stays in the reader's browser. */
export interface Frame {
  /** the arrangement it begins with; None: the one that the reader used last */
  arrangement: "step" | "author" | "debug" | null;
  /** in a cell, in CSS pixels */
  height: number;
  /** of a lesson: the arrangement, or the views, that can't be changed */
  lesson: "step" | "author" | "debug" | string[] | null;
}

/** The last text that was a grammar, and what was made of it. */
export interface Good {
  /** its number */
  revision: number;
  /** the text */
  text: string;
  /** whether the rules' spans are places of the text */
  is_source: boolean;
  /** states of the program */
  n_states: number;
  /** the time that making it took, in milliseconds */
  ms: number;
  /** the grammar as EBNF */
  lowered: string;
  /** the grammar after each pass */
  passes: PadPass[];
  /** its rules */
  rules: RuleFacts[];
}

/** A keyword of a schema, and what the grammar does about it. */
export interface Keyword {
  /** its place, a JSON Pointer */
  pointer: string;
  /** the keyword */
  keyword: string;
  /** what the grammar does about it */
  state: "enforced" | "annotation" | "relaxed" | "refused";
  /** why */
  note: string;
  /** its place in the text */
  span: Span;
  /** its line, from 1 */
  line: number;
}

/** A request to show a view in another area of its host. */
export interface OpenedIn {
  /** a tab of the main area, or the right sidebar */
  area: Area;
  /** how many requests there were for the view, this one included */
  n: number;
}

/** What fills a template's slots, as JSON. */
export interface PadArguments {
  /** the text */
  text: string;
  /** what is wrong with it */
  findings: Finding[];
  /** arguments to begin with */
  skeleton: string;
}

/** A pass of the compiler over a pad's grammar. */
export interface PadPass {
  /** the pass */
  name: string;
  /** the grammar after it */
  shown: string;
}

/** A change of a pad, kernel to page. */
export interface PadPush {
  /** the kind of message */
  kind: "pad";
  /** its number */
  seq: number;
  /** the pad */
  state: PadState;
}

/** A pad: its text, and what is known of it. */
export interface PadState {
  /** the text */
  text: string;
  /** its language */
  kind: PadKind;
  /** what a keyword that the grammar can't enforce does */
  on_unsupported: "error" | "relax";
  /** the number of the text; one more with each that is written */
  revision: number;
  /** whether the grammar is being made */
  status: PadStatus;
  /** the number of the text that `findings` and `keywords` are about */
  draft_revision: number;
  /** the number of the last text that was a grammar; -1: there was none */
  good_revision: number;
  /** what is wrong with the text */
  findings: Finding[];
  /** of a template; null or absent for any other text */
  arguments?: PadArguments | null;
  /** the keywords of a schema */
  keywords: Keyword[];
  /** the examples, the first 2,000 of them */
  rows: BenchRow[];
  /** the number of examples */
  n_rows: number;
  /** whether a session uses the pad */
  has_session: boolean;
  /** whether that session runs with the pad's grammar */
  is_applied: boolean;
  /** the error of the last command */
  error: WireError | null;
}

/** The traits of `xg2lab.widgets.pad_widget.PadWidget`. */
export interface PadTraits {
  /** Python: the widget of the runtime */
  runtime: string | null;
  /** Python: gzip of a PadWhole as JSON, for a reload and for a replay */
  replay: DataView | null;
}

/** All of a pad. */
export interface PadWhole {
  /** the number of the last push */
  seq: number;
  /** the pad */
  state: PadState;
  /** the last text that was a grammar; null: there was none */
  good: Good | null;
  /** members of it, where a Sampler was shown */
  samples?: SamplesReply;
}

/** The replacement of a report that failed. */
export interface ReportError {
  /** why */
  error: WireError;
}

/** A rule of a pad's grammar. */
export interface RuleFacts {
  /** its name */
  name: string;
  /** its definition */
  span: Span;
  /** its name in the definition */
  name_span: Span;
  /** what it matches, readable */
  body: string;
  /** how often other rules use it */
  n_uses: number;
  /** its railroad diagram; null: it is too large */
  track: Track | null;
}

/** The traits of `xg2lab.widgets.runtime.Runtime`. */
export interface RuntimeTraits {
  /** Python: gzip of runtime.js */
  bundle: DataView;
}

/** Members of the last good grammar, and a text that is nearly one. */
export interface SamplesReply {
  /** the grammar's; -1: there was none yet */
  revision: number;
  /** random ones, each once */
  members: string[];
  /** one of the shortest; null: none was found */
  shortest: string | null;
  /** one that uses the rule, or shows the keyword; null: none was asked for, or none was found */
  uses: string | null;
  /** a text one edit away from a member, which is no member; null: none was found */
  near: string | null;
  /** the edit, in words */
  near_edit: string;
  /** the byte at which it fails; null: it is the beginning of a member */
  near_died_at: number | null;
  /** what could stand there */
  near_expected: string;
  /** why there are no members */
  note: string;
}

/** How a session is. */
export interface SessionState {
  /** the number of the last push */
  seq: number;
  /** the status of the session */
  status: Status;
  /** of the run that is on: the tokens taken, and how many at most */
  run?: [taken: number, most: number] | null;
  /** the error of the session, or of the last command */
  error: WireError | null;
}

/** The traits of `xg2lab.widgets.session_widget.SessionWidget`. */
export interface SessionTraits {
  /** Python: the widget of the runtime */
  runtime: string | null;
  /** Python: the number of the last push that `trace` contains; -1: none */
  seq: number;
  /** Python: gzip of the Trace as JSON, for a reload and for a replay */
  trace: DataView | null;
  /** Python: gzip of masks and vocabulary if they are small, for a replay */
  bulk: DataView | null;
  /** both: the page sets it by a message */
  selection: Selection;
  /** Python: the last audit, as far as it has come */
  audit: AuditReport | ReportError | null;
  /** Python: what is wrong with pasted ids, while their trace is shown */
  diagnosis: WireDiagnosis | null;
  /** Python: the last comparison, of two sides or of engines, as far as it has come */
  compare: CompareReport | EngineReport | ReportError | null;
  /** Python: the runs that step together with this session, which is the first of them */
  lockstep: LockstepReport | ReportError | null;
  /** Python: by rule, the machine after each pass, of the rules that were looked at last */
  stages: Record<string, WireStage[]>;
  /** the page, by a message: layouts of machines, so that a replay needs no Graphviz */
  layouts: Record<string, string>;
}

/** A change of a text. */
export interface TextEdit {
  /** the bytes that are replaced */
  span: Span;
  /** by what */
  text: string;
}

/** Lines that can be hidden: those after the line of the span's begin, up to that of its end. */
export interface TextFold {
  /** from the first byte to behind the last */
  span: Span;
  /** what it is */
  kind: "region" | "comment";
}

/** A word that may be inserted. */
export interface TextWord {
  /** as a list shows it */
  label: string;
  /** what replaces the span; of a snippet with stops `${1:default}` and `$0` */
  insert: string;
  /** what it is */
  kind: WordKind;
  /** a few words on it */
  detail: string;
  /** a sentence on it */
  doc: string;
  /** the bytes that it replaces */
  span: Span;
  /** whether `insert` has stops */
  is_snippet: boolean;
}

/** A change of the trace; `ways_read` and `stepped_over` are of its columns, `operators` those of a new trace. */
export interface TraceChange extends ToldChart, ToldTrace {
  /** the kind of message */
  kind: "trace";
  /** whether the trace starts again: header and program follow */
  reset?: boolean;
  /** the header of the new trace */
  header?: Header;
  /** its program */
  program?: Program;
  /** of the steps that the page has, so many stay */
  keep_steps: number;
  /** the steps that follow them */
  steps: Step[];
  /** of the chart's columns that the page has, so many stay */
  keep_columns: number;
  /** the columns that follow them */
  columns: ChartItem[][];
  /** items of these columns that were made in several ways */
  ways?: WaysRow[];
  /** of the branches that the page has, so many stay */
  keep_branches: number;
  /** the branches that follow them */
  branches: Branch[];
  /** all notes of the trace */
  notes: string[];
}

/** A change of the trace, kernel to page, in order; a page that misses a number asks for the whole trace. */
export interface TracePush extends TraceChange, SessionState {
  /** of the newest step, if the page watches masks; the buffers are its provenance and probabilities */
  bulk?: BulkHeader;
}

/** A piece of a railroad diagram. */
export interface Track {
  /** what it draws */
  kind: "literal" | "class" | "rule" | "other" | "sequence" | "choice" | "optional" | "repeat";
  /** its place in the text */
  span: Span;
  /** of a piece without parts: its label */
  text?: string;
  /** the pieces in it */
  parts?: Track[];
  /** of a repetition: the least number */
  least?: number;
  /** of a repetition: the largest number; null: no limit */
  most?: number | null;
}

/** The traits of `xg2lab.widgets.view.View`. */
export interface ViewTraits {
  /** Python: the widget of the session */
  session: string | null;
  /** Python: of a view that edits, the pad, which a session need not have */
  pad: string | null;
  /** Python: which view it is */
  panel: string;
  /** Python: names the view in the outputs that a notebook keeps of it */
  view_id: string;
  /** Python: the last request for another area */
  opened: OpenedIn | null;
  /** Python: how often the tour was asked for */
  tours: number;
  /** Python: how often presenter mode was asked for */
  presented: number;
  /** Python: of the workbench, what it is asked to show */
  frame: Frame | null;
}

/** An exception, as the page shows it. */
export interface WireError {
  /** the name of its class */
  type: string;
  /** what happened */
  message: string;
  /** the remedy; empty if it names none */
  hint?: string;
}

/** The note is kept. */
export interface AnnotateReply {
  /** its number */
  number: number;
}

/** Leave a note: about the newest step, if neither a step nor a rule is named. */
export interface AnnotateRequest {
  /** plain text */
  text: string;
  /** the step */
  step?: number;
  /** the token of that step */
  token?: number;
  /** in place of a step, the name of a rule */
  rule?: string;
}

/** A note that there is. */
export interface AnnotationRequest {
  /** its number */
  number: number;
}

/** The file is the buffer. */
export interface AssetReply {
  /** whether it is compressed */
  gzip: boolean;
}

/** A file that only a kernel's page needs. */
export interface AssetRequest {
  /** which */
  name: "graphviz" | "editor" | "picture" | "tour";
}

/** Begin an audit; what it finds comes by the trait `audit`. */
export interface AuditRequest {
  /** the budget */
  seconds?: number;
}

/** Take all tokens from a step on back: they stay as a branch. */
export interface BackToRequest extends CommandRequest {
  /** the step */
  step: number;
}

/** The continuations as a tree. */
export interface BeamReply {
  /** the tree */
  beam: WireBeam;
}

/** The model's likeliest continuations at a step. */
export interface BeamRequest extends StepRequest {
  /** how many tokens a continuation has at most */
  depth: number;
  /** how many allowed and how many blocked ones are kept at each length */
  width: number;
}

/** The other session; absent fields: none is held against this one. The buffer is its mask. */
export interface BesideReply {
  /** the names of all sessions of this vocabulary */
  sessions?: string[];
  /** the name of the one; empty: there is none */
  session?: string;
  /** which step of it, in words */
  says?: string;
}

/** Hold the mask of a step against another session's; without a session, no longer. */
export interface BesideRequest {
  /** the other session's name; empty: the first */
  session?: string;
  /** the step; the newest if it is absent */
  step?: number;
}

/** The mask of a step. The buffers of the reply are its provenance and its probabilities. */
export interface BulkRequest {
  /** the step */
  step: number;
}

/** A command to the session. */
export interface CommandRequest {
  /** the tokens that the page had: a step past an end that came meanwhile does nothing */
  n_decided?: number;
}

/** Two masks of a step: the buffers are A's row, and A xor B. */
export interface CompareMaskReply {
  /** the step */
  step: number;
}

/** Two masks of a step: those of both sides, or of two of the engines. */
export interface CompareMaskRequest {
  /** the step */
  step: number;
  /** the places of the two sides or engines; left out: the first two */
  pair?: [a: number, b: number] | null;
}

/** Begin a comparison; what it finds comes by the trait `compare`. Side B is one of four, or `engines` are named. */
export interface CompareRequest {
  /** fields of `EngineOptions`, as text */
  switches?: Record<string, unknown> | null;
  /** a grammar's text */
  grammar?: string | null;
  /** another session's name */
  session?: string | null;
  /** the template's grammar, written out */
  written_out?: boolean;
  /** names of other engines */
  engines?: string[] | null;
}

/** What B can be. */
export interface CompareWithReply {
  /** the engine's switches */
  switches: SwitchFacts[];
  /** the names of the other sessions */
  sessions: string[];
  /** whether the grammar is an instance of a template, which can be written out */
  is_instance: boolean;
  /** the engines, installed or not */
  engines: EngineChoice[];
}

/** The words that may stand at a place. */
export interface CompleteReply {
  /** the best first */
  words: TextWord[];
}

/** Take tokens, or take them back. */
export interface CountRequest extends CommandRequest {
  /** how many; 1 if it is absent */
  n?: number;
}

/** The grammar. */
export interface DonorReply {
  /** the grammar, with its program */
  donor: WireDonor;
}

/** The grammar that a mask entry was taken over from. */
export interface DonorRequest extends StepRequest {
  /** the state that the entry is of */
  state: number;
}

/** Give a note another text. */
export interface EditAnnotationRequest extends AnnotationRequest {
  /** the text */
  text: string;
}

/** Changes of the text, which do not overlap. */
export interface EditsReply {
  /** in the order of the text */
  edits: TextEdit[];
}

/** Change the examples. */
export interface ExampleRequest {
  /** what to do */
  change: "add" | "edit" | "flip" | "delete";
  /** the row; of "add" none */
  row_id?: number;
  /** of "add" and "edit", the text */
  text?: string;
  /** of "add", whether the text is meant to match; true if it is absent */
  should_match?: boolean;
}

/** Why the subject may or may not come. */
export interface ExplainReply {
  /** with the facts that a page is told */
  explanation: Explanation;
}

/** The parts of a text that can be folded. */
export interface FoldsReply {
  /** in no order */
  folds: TextFold[];
}

/** Choose a token, or the tokens of a text. */
export interface ForceRequest extends SubjectRequest, CommandRequest {
}

/** Derivations, counted, and the first of them. */
export interface ForestReply {
  /** the derivations */
  forest: WireForest;
}

/** The derivations of the text before a step, under the grammar as written. */
export interface ForestRequest extends StepRequest {
  /** of the match that this item ends alone */
  item?: [column: number, index: number] | null;
  /** how many to list; 6 if it is absent */
  most?: number;
}

/** The example was added. */
export interface FromSessionReply {
  /** its row */
  row_id: number;
}

/** Make the session's text an example. */
export interface FromSessionRequest {
  /** whether it is meant to match; true if it is absent */
  should_match?: boolean;
}

/** There is a kernel. */
export interface HelloReply extends StateReply {
  /** equal for equal vocabularies: a page asks for each once */
  vocabulary_key: string;
  /** the name under which the runtime pauses the session */
  session_id: string;
}

/** Is there a kernel? */
export interface HelloRequest {
  /** whether it is a student's page: the notebook's page is another, and its outputs stay as they are */
  follows?: boolean;
}

/** What is known of the word at a place. */
export interface HoverReply {
  /** the word; null: nothing is known */
  span: Span | null;
  /** what is known, in Markdown */
  card: string;
}

/** The verdict. */
export interface JudgeReply {
  /** as of an example; its number is -1 */
  row: BenchRow;
}

/** Judge a text that is still being typed. */
export interface JudgeRequest {
  /** the text */
  text: string;
}

/** Add a side: another session by its name, or a variant of this one. One of the four. */
export interface LockstepAddRequest {
  /** another session's name */
  session?: string | null;
  /** another seed */
  seed?: number | null;
  /** another temperature */
  temperature?: number | null;
  /** another grammar's text, EBNF */
  grammar?: string | null;
}

/** Take a side away; the lockstep ends with its second side. */
export interface LockstepDropRequest {
  /** the side, from 1 */
  side: number;
}

/** The masks of the other sides at the byte of a step of the first. */
export interface LockstepHeldReply {
  /** for each side but the first */
  held: (LockstepHeld | null)[];
}

/** Move all sides. */
export interface LockstepRequest {
  /** what to do */
  do: "step" | "back" | "run" | "reset";
  /** where a run ends */
  until?: "end" | "parts" | null;
}

/** What is known of the selected token. */
export interface LockstepSelectReply {
  /** why it is allowed or blocked there, as a sentence; empty without a token */
  why: string;
}

/** Select a step, and a token, in a side's own session: its views follow. */
export interface LockstepSelectRequest {
  /** the side, from 0 */
  side: number;
  /** the step */
  step: number;
  /** the token */
  token?: number | null;
}

/** What a side can be. */
export interface LockstepWithReply {
  /** the names of the other sessions of this vocabulary that are no side yet */
  sessions: string[];
  /** whether the session has a model, whose variants can sample */
  has_model: boolean;
}

/** Which rules took the mass that is blocked. */
export interface LostMassReply {
  /** null where mask or probabilities are not known */
  lost: LostMass | null;
}

/** A message without fields of its own. */
export interface Nothing {
}

/** The requests that `xg2lab.widgets.pad_widget.PadWidget` answers. */
export interface PadRequests {
  /** is there a kernel; the buffer is a PadWhole, gzip of its JSON */
  hello: [Nothing, Nothing];
  /** how far is it */
  settle: [SettleRequest, SettleReply];
  /** another text */
  write: [WriteRequest, WriteReply];
  /** wait no longer for the text that is being compiled */
  cancel: [Nothing, Nothing];
  /** give the grammar to the session */
  apply: [Nothing, Nothing];
  /** change the examples */
  example: [ExampleRequest, Nothing];
  /** the session's text as an example */
  from_session: [FromSessionRequest, FromSessionReply];
  /** the verdict on a text */
  judge: [JudgeRequest, JudgeReply];
  /** the examples as a test file */
  pytest: [Nothing, TextReply];
  /** the words that may stand at a place */
  complete: [TextPlace, CompleteReply];
  /** what is known of the word at a place */
  hover: [TextPlace, HoverReply];
  /** where the name at a place is defined and used */
  places: [TextPlace, PlacesReply];
  /** another name for the one at a place */
  rename: [RenameRequest, EditsReply];
  /** the text in its usual layout */
  layout: [TextOfKind, EditsReply];
  /** the parts that can be folded */
  folds: [TextOfKind, FoldsReply];
  /** members of the last good grammar */
  samples: [SamplesRequest, SamplesReply];
}

/** Stop the run of a session. */
export interface PauseRequest {
  /** its `session_id` */
  session: string;
}

/** The name at a place; all fields are empty if there is none. */
export interface PlacesReply {
  /** where it is defined */
  definition: Span | null;
  /** all places, the definition among them */
  places: Span[];
  /** the part of the word that `rename` replaces; null: the name can't be changed */
  renamable: Span | null;
}

/** Another name for the one at a place. */
export interface RenameRequest extends TextPlace {
  /** the new name */
  name: string;
}

/** What the grammar makes of the ids. */
export interface ReplayReply {
  /** the diagnosis */
  diagnosis: WireDiagnosis;
}

/** Find the token ids in a text, and take them in a trace of their own. */
export interface ReplayRequest {
  /** the text */
  text: string;
}

/** Begin again. */
export interface ResetRequest extends CommandRequest {
  /** with another prompt */
  prompt?: string | null;
  /** or with these messages, of which the model's chat template makes the prompt */
  messages?: ChatMessage[] | null;
}

/** Step until an end. */
export interface RunRequest extends CommandRequest {
  /** the end, as `Session.run` takes it */
  until?: string | unknown[] | null;
  /** the largest number of tokens */
  max_tokens?: number | null;
}

/** The requests that `xg2lab.widgets.runtime.Runtime` answers, also while a cell runs. */
export interface RuntimeRequests {
  /** a file */
  asset: [AssetRequest, AssetReply];
  /** stop the run of a session */
  pause: [PauseRequest, Nothing];
}

/** Members of the last good grammar. */
export interface SamplesRequest {
  /** equal seeds give equal members */
  seed: number;
  /** the rule that one member shall use */
  rule?: string | null;
  /** or, of a schema, the JSON Pointer of the keyword that one member shall show */
  pointer?: string | null;
}

/** The requests that `xg2lab.widgets.session_widget.SessionWidget` answers. */
export interface SessionRequests {
  /** is there a kernel, and how far is it */
  hello: [HelloRequest, HelloReply];
  /** send what waits */
  settle: [SettleRequest, SettleReply];
  /** for a page that missed a push; the buffer is the whole Trace, gzip of its JSON */
  trace: [Nothing, StateReply];
  /** a value that the page owns */
  set: [SetRequest, Nothing];
  /** sample tokens */
  step: [CountRequest, Nothing];
  /** take tokens back */
  back: [CountRequest, Nothing];
  /** take all tokens from a step on back */
  back_to: [BackToRequest, Nothing];
  /** take the newest token back, if the user forced it */
  undo_force: [CommandRequest, Nothing];
  /** choose a token, or the tokens of a text */
  force: [ForceRequest, Nothing];
  /** step until an end */
  run: [RunRequest, Nothing];
  /** stop a run */
  pause: [Nothing, Nothing];
  /** begin again */
  reset: [ResetRequest, Nothing];
  /** take pasted token ids */
  replay: [ReplayRequest, ReplayReply];
  /** go on with the trace before the pasted ids */
  resume: [CommandRequest, Nothing];
  /** the grammar that an entry was taken over from */
  donor: [DonorRequest, DonorReply];
  /** why a token may or may not come */
  explain: [SubjectRequest, ExplainReply];
  /** leave a note */
  annotate: [AnnotateRequest, AnnotateReply];
  /** give a note another text */
  edit_annotation: [EditAnnotationRequest, Nothing];
  /** delete a note */
  delete_annotation: [AnnotationRequest, Nothing];
  /** the same as the text of an issue */
  issue: [SubjectRequest, TextReply];
  /** the pushdown automaton's stacks */
  stacks: [StepRequest, StacksReply];
  /** record the operators, which come with the trace */
  operators: [Nothing, Nothing];
  /** record the grammar as written, which comes with the trace */
  as_written: [Nothing, Nothing];
  /** the model's likeliest continuations, allowed and blocked */
  beam: [BeamRequest, BeamReply];
  /** the derivations of an ambiguous text */
  forest: [ForestRequest, ForestReply];
  /** a rule's machine after each pass */
  stages: [StagesRequest, StagesReply];
  /** the blocked mass by rule */
  lost_mass: [StepRequest, LostMassReply];
  /** what the page's views show */
  watch: [WatchRequest, WatchReply];
  /** which push of a run the page has drawn */
  shown: [ShownRequest, Nothing];
  /** begin an audit */
  audit: [AuditRequest, Nothing];
  /** end it */
  audit_stop: [Nothing, Nothing];
  /** the mask of a step */
  bulk: [BulkRequest, BulkHeader];
  /** the buffers are the tokens' bytes joined, where each begins (u32), and the ids in trie order (u32) */
  vocabulary: [Nothing, Nothing];
  /** another session's mask */
  beside: [BesideRequest, BesideReply];
  /** begin a comparison */
  compare: [CompareRequest, Nothing];
  /** end it, or the search */
  compare_stop: [Nothing, Nothing];
  /** look for the shortest text on which both sides part */
  compare_shortest: [Nothing, Nothing];
  /** both masks of a step */
  compare_mask: [CompareMaskRequest, CompareMaskReply];
  /** what B can be */
  compare_with: [Nothing, CompareWithReply];
  /** add a side */
  lockstep_add: [LockstepAddRequest, Nothing];
  /** take a side away */
  lockstep_drop: [LockstepDropRequest, Nothing];
  /** move all sides */
  lockstep: [LockstepRequest, Nothing];
  /** select in a side's own session */
  lockstep_select: [LockstepSelectRequest, LockstepSelectReply];
  /** the masks of an earlier step */
  lockstep_held: [StepRequest, LockstepHeldReply];
  /** what a side can be */
  lockstep_with: [Nothing, LockstepWithReply];
}

/** A value that the page owns. */
export interface SetRequest {
  /** which trait */
  key: "selection" | "layouts";
  /** its value: a Selection, or layouts by name */
  value: unknown;
}

/** How far the kernel is. */
export interface SettleReply {
  /** the number of the last push */
  seq: number;
  /** whether a command is still at work */
  is_busy: boolean;
}

/** Send at once what waits for its frame. */
export interface SettleRequest {
  /** whether to renew what a saved notebook reads, too */
  replay?: boolean;
}

/** A page has drawn a push of a run, and all before it. */
export interface ShownRequest {
  /** the push's number */
  seq: number;
}

/** More of the automaton's stacks than a trace keeps. */
export interface StacksReply {
  /** the stacks */
  stacks: StackTree;
}

/** The machines. */
export interface StagesReply {
  /** in the order of the passes */
  stages: WireStage[];
}

/** A rule's machine after each pass of the compiler. */
export interface StagesRequest {
  /** the rule's name */
  rule: string;
}

/** How the session is. A reply has no `error` of its own: that is what a refusal has. */
export interface StateReply {
  /** its status, the last push, its error */
  state: SessionState;
}

/** Something that is asked of a step. */
export interface StepRequest {
  /** the step; the newest if it is absent */
  step?: number | null;
}

/** A token, or a text or bytes that were typed: one of the three. */
export interface SubjectRequest {
  /** a token id */
  token?: number;
  /** a text */
  text?: string;
  /** bytes in hexadecimal */
  bytes?: string;
  /** before which step; the newest if it is absent */
  step?: number | null;
}

/** A text as it stands in the editor, sent or not. */
export interface TextOfKind {
  /** the text */
  text: string;
  /** its language */
  text_kind: PadKind;
}

/** A place in a text. */
export interface TextPlace extends TextOfKind {
  /** in bytes */
  offset: number;
}

/** A text: that of an issue, or of a test file. */
export interface TextReply {
  /** the text */
  text: string;
}

/** What is known at once. */
export interface WatchReply {
  /** the figures, if the page watches them */
  figures?: Figures;
}

/** What the views in sight on a page show. It comes with pushes until the page sends another such request. A page that does not repeat the request stops watching after some hundred pushes: it may have been closed. */
export interface WatchRequest {
  /** whether the newest mask shall come with the push of each step */
  bulk: boolean;
  /** whether figures of the whole trace shall come with pushes */
  figures: boolean;
}

/** The text was taken. */
export interface WriteReply {
  /** its number */
  revision: number;
}

/** Another text, or another way to read it. */
export interface WriteRequest {
  /** the text */
  text: string;
  /** its language */
  text_kind?: PadKind;
  /** what a keyword that the grammar can't enforce does */
  on_unsupported?: "error" | "relax";
  /** of a template, its arguments as JSON */
  arguments?: string | null;
}
