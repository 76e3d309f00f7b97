// An explanation as the text of an issue, from what was recorded alone: for when no kernel is there to write it. Pure.
//
// Mirror of xg2lab/lab/trace/issue.py, line by line; a browser test compares the two texts. Only the versions are not known here.
import { hex } from "../../../text";
import { fromHex, stateName } from "../../../trace";
import type { Explanation, Header, Step, Trace } from "../../../wire";
import { slotName } from "../../operator_view/layout/arguments";
import { expectedBy, missingEdges, rangeText } from "./edges";

const TAIL_BYTES = 60;
const MOST_EDGES = 6;
/** What an engine option is when nobody says; tests/widgets/test_traits.py compares them with EngineOptions. */
export const ENGINE_DEFAULTS: Record<string, boolean | number | string> = {
  rule_inlining: true,
  right_recursion_to_repeat: true,
  literal_fusion: true,
  determinize: true,
  minimize: true,
  parser: "earley",
  tail_calls: true,
  max_stacks: 100000,
  max_operators: 100000,
  repetition_compression: true,
  repetition_threshold: 32,
  cross_grammar_cache: true,
  context_expansion: true,
  token_classes: true,
  context_walks: "auto",
  shared_walks: true,
  counted_runs: true,
  partial_jit_k: 0,
  max_fsm_states: 4000000,
  max_compile_seconds: 2,
  max_mask_seconds: 1,
  max_work_bytes: 201326592,
  max_configuration_bytes: 100663296,
  max_history_bytes: 134217728,
  max_pool_bytes: 536870912,
};

const ESCAPES: Record<number, string> = { 9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\" };
/** Bytes as Python writes them. */
export function pythonBytes(bytes: readonly number[]): string {
  const quote = bytes.includes(39) && !bytes.includes(34) ? 34 : 39;
  const inside = bytes.map((b) => {
    if (ESCAPES[b]) return ESCAPES[b];
    if (b === quote) return `\\${String.fromCharCode(b)}`;
    return b >= 32 && b < 127 ? String.fromCharCode(b) : `\\x${hex(b).toLowerCase()}`;
  });
  const mark = String.fromCharCode(quote);
  return `b${mark}${inside.join("")}${mark}`;
}
const quoted = (word: string): string => `'${word}'`;
const python = (value: unknown): string =>
  value === true
    ? "True"
    : value === false
      ? "False"
      : value === null
        ? "None"
        : typeof value === "string"
          ? quoted(value)
          : String(value);

/** A grammar as Python source, as it is written wherever Python allows that. */
function literal(text: string): string {
  for (const quotes of ["'''", '"""']) {
    const ends = text.endsWith(quotes[0] as string) || text.endsWith("\\");
    if (!text.includes(quotes) && !ends && !text.includes("\r") && !text.includes("\0"))
      return `r${quotes}${text}${quotes}`;
  }
  return JSON.stringify(text);
}

/** An argument of a template, as a trace holds it, as Python source. */
export function pythonValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (value === null || typeof value !== "object") return python(value);
  const members = value as Record<string, unknown>;
  if ("$bytes" in members) return `bytes.fromhex(${pythonValue(members.$bytes)})`;
  if ("$grammar" in members)
    return `xgr.Grammar.from_ebnf(${pythonValue(members.$grammar)}, root_rule_name=${pythonValue(members.root)})`;
  return pythonDict((members.$value as Record<string, unknown> | undefined) ?? members);
}
const pythonDict = (members: Record<string, unknown>): string =>
  `{${Object.entries(members)
    .map(([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member)}`)
    .join(", ")}}`;

/** Lines that make `compiled`; `made`: those that make its compiler. */
function compiledLines({ grammar, template }: Header, made: readonly string[]): string[] {
  if (!template)
    return [
      `grammar = ${literal(grammar.written_out ?? grammar.text)}`,
      ...made,
      `compiled = compiler.compile_grammar(grammar${grammar.root === "root" ? "" : `, root_rule_name=${quoted(grammar.root)}`})`,
    ];
  const named = { ...(template.root === "root" ? {} : { root_rule_name: template.root }), ...template.options };
  // of an encoder a trace has the texts that it was asked for, with their ids
  const options = Object.entries(named).map(
    ([name, value]) => `, ${name}=${pythonValue(value)}${name === "encode" ? ".__getitem__" : ""}`,
  );
  return [
    `text = ${literal(template.text)}`,
    `template = xgr.Template.from_${template.kind}(text${options.join("")})`,
    `arguments = ${pythonDict(template.arguments)}`,
    ...made,
    "compiled = compiler.compile_template(template).instantiate(**arguments)",
  ];
}

/** `ids`: the tokens before, where the grammar names such; then the reader has to fill in the tokenizer. */
function snippet(trace: Trace, output: readonly number[], ids: readonly number[] | null, why: Explanation): string {
  const bytes = fromHex(why.bytes);
  const named = (fallback: string) => (bytes.length > 0 ? pythonBytes(bytes) : `b'${fallback}'`);
  const silent: Record<string, [tokens: string, facts: string, asked: string]> = {
    stop_legal: [named("</s>"), "stop_token_ids=[0]", "0"],
    stop_not_legal: [named("</s>"), "stop_token_ids=[0]", "0"],
    special_token: [`${named("<s>")}, b'</s>'`, "stop_token_ids=[1], special_token_ids=[0]", "0"],
    padding: ["b'</s>'", "stop_token_ids=[0], vocab_size=2", "1"],
  };
  const text: [string, string, string] = [
    `${pythonBytes(bytes)}, b'</s>'`,
    "stop_token_ids=[1]",
    why.token_id !== null ? "0" : `data=${pythonBytes(bytes)}`,
  ];
  const [tokens, facts, askedAlone] = silent[why.mechanism] ?? text;
  const asked = ids && why.token_id !== null ? String(why.token_id) : askedAlone;
  const { options } = trace.header;
  const changed = Object.entries(options)
    .filter(([name, value]) => ENGINE_DEFAULTS[name] !== value)
    .map(([name, value]) => `${name}=${python(value)}`)
    .join(", ");
  return [
    "import xg2lab as xgr",
    "",
    ...compiledLines(trace.header, [
      ids
        ? `info = ...  # that of the tokenizer: ${trace.header.vocab_size} tokens`
        : `info = xgr.TokenizerInfo([${tokens}], ${facts})`,
      `compiler = xgr.GrammarCompiler(info${changed ? `, options=xgr.EngineOptions(${changed})` : ""})`,
    ]),
    "matcher = xgr.GrammarMatcher(compiled)",
    ids
      ? `assert all(matcher.accept_token(token) for token in [${ids.join(", ")}])`
      : `assert matcher.accept_string(${pythonBytes(output)})${why.mechanism === "terminated" ? " and matcher.accept_token(1)" : ""}`,
    "",
    `why = matcher.explain(${asked})`,
    'print(why["mechanism"], why["reason"])',
    `assert why["mechanism"] == ${quoted(why.mechanism)}, why`,
    `assert (why["allowed"], why["died_at"]) == (${python(why.allowed)}, ${python(why.died_at)}), why`,
  ].join("\n");
}

const modelText = ({ header }: Trace): string => {
  const { model } = header;
  const name = model ? `model ${model.name} (${model.device}, ${model.dtype})` : "no model";
  return `${name}, ${header.vocab_size} tokens`;
};

/** The text, in Markdown. */
export function issueText(trace: Trace, step: Step, why: Explanation): string {
  const output = trace.steps.slice(0, step.index).flatMap((s) => fromHex(s.bytes));
  const bytes = fromHex(why.bytes);
  const subject =
    why.token_id !== null ? `token ${why.token_id} ${pythonBytes(bytes)}` : `${pythonBytes(bytes)}, typed,`;
  const p = step.top.find(([id, , x]) => id === why.token_id && x !== null)?.[2] ?? null;
  const died = why.died_at;
  const place = why.entry ? `, in ${stateName(trace.program, why.entry.state)}` : "";
  const lines = [
    `## Why is ${subject} ${why.allowed ? "allowed" : "blocked"}?`,
    "",
    why.reason,
    "",
    `- asked: ${bytes.map(hex).join(" ") || "no bytes"}${p === null ? "" : `, p ${p.toFixed(4)}`}`,
    `- step: ${step.index}, at byte ${step.byte_begin} of the output`,
    `- output so far: ${output.length > TAIL_BYTES ? "… " : ""}${pythonBytes(output.slice(-TAIL_BYTES))}`,
    `- mechanism: ${why.mechanism}${place}`,
  ];
  const dead = hex(bytes[died ?? 0] ?? 0);
  if (died !== null)
    lines.push(`- died at: byte ${step.byte_begin + died}, ${dead}, ${died + 1} of ${bytes.length} asked`);
  const ranges = why.expected.length > 0 ? `, bytes ${rangeText(why.expected)}` : "";
  if (why.expected_text) lines.push(`- expected: ${why.expected_text}${ranges}`);
  for (const item of expectedBy(why).slice(0, MOST_EDGES)) {
    lines.push(`- expected by: \`${item.rule_name} -> ${item.before} • ${item.after}\`, from byte ${item.origin}`);
    // A schema's text has no place for what every schema has, whitespace say.
    if (item.line_text !== undefined) lines.push(`  line ${item.line}:${item.column}: \`${item.line_text.trim()}\``);
    if (item.argument !== undefined) lines.push(`  slot \`${slotName(item.argument)}\`, argument ${item.argument}`);
  }
  for (const edge of missingEdges(trace.program, why).slice(0, MOST_EDGES))
    lines.push(`- ${stateName(trace.program, edge.state)} has edges [${rangeText(edge.ranges)}] and none for ${dead}`);
  const seen = `- seen with: a recorded trace, versions not recorded; ${modelText(trace)}`;
  const namesTokens = trace.program.edges.some((edge) => edge.kind === "token");
  const ids = namesTokens ? trace.steps.slice(0, step.index).flatMap((s) => s.token_id ?? []) : null;
  return [...lines, seen, "", "```python", snippet(trace, output, ids, why), "```", ""].join("\n");
}
