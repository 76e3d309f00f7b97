// The trace on the page: a value that pushes replace part by part, and the questions views ask of it.
import type {
  Chart,
  DrawnRule,
  DrawnState,
  Edge,
  Item,
  Program,
  Rule,
  Selection,
  State,
  Step,
  Trace,
  TracePush,
} from "./wire";

export const NOTHING_SELECTED: Selection = {
  step: null,
  token: null,
  byte: null,
  rule: null,
  item: null,
  state: null,
  mask_entry: null,
};

/** A chart after a push: the columns that stay, and the ones that follow them. */
function chartAfter(old: Chart | undefined, more: Chart, keepColumns: number): Chart {
  const kept = <Row extends readonly unknown[]>(rows: Row[] = [], next: Row[] = []): Row[] => [
    ...rows.filter(([column]) => (column as number) < keepColumns),
    ...next,
  ];
  return {
    columns: [...(old?.columns.slice(0, keepColumns) ?? []), ...more.columns],
    ways: kept(old?.ways, more.ways),
    ways_read: kept(old?.ways_read, more.ways_read),
    stepped_over: kept(old?.stepped_over, more.stepped_over),
  };
}

const parts = new Map<string, unknown>(); // parts of explanations that came lately, by their JSON
const MOST_PARTS = 1024;

/** A value of JSON in which equal parts, also those of values before it, are one object or one string. */
function shared(value: unknown): unknown {
  if (typeof value !== "string" && (typeof value !== "object" || value === null)) return value;
  const text = JSON.stringify(value);
  const known = parts.get(text);
  if (known !== undefined) return known;
  if (typeof value === "object")
    for (const [name, part] of Object.entries(value)) {
      const one = shared(part);
      if (one !== part) Object.assign(value, { [name]: one });
    }
  if (parts.size === MOST_PARTS) parts.clear();
  parts.set(text, value);
  return value;
}

/**
 * The explanations of tokens have much in common, in a step and from step to step: the entry, the items that wait, the bytes that
 * they wait for, the sentences. Equal parts become one object, which takes more than a third off the heap of a long trace. Changes
 * the steps in place, and returns them.
 */
export function sharing(steps: Step[]): Step[] {
  for (const step of steps)
    for (const why of Object.values(step.explain))
      for (const [name, value] of Object.entries(why)) Object.assign(why, { [name]: shared(value) });
  return steps;
}

/** The trace after a push: what both had stays the same object, so that views redraw only what is new. */
export function applyPush(trace: Trace | null, push: TracePush): Trace | null {
  const header = push.header ?? trace?.header;
  const program = push.program ?? trace?.program;
  if (!header || !program) return trace;
  const old = push.reset ? null : trace;
  const figures = push.figures ?? old?.figures;
  const operators = push.reset ? push.operators : trace?.operators;
  const annotations = push.annotations ?? trace?.annotations;
  const tags = push.reset ? push.tags : trace?.tags;
  const written = push.as_written;
  const before = old?.as_written;
  const wholeProgram = written?.program ?? before?.program;
  const asWritten = written && {
    ...written,
    ...(wholeProgram && { program: wholeProgram }),
    chart: chartAfter(before?.chart, written.chart, push.keep_columns),
  };
  return {
    version: 1,
    header,
    program,
    steps: [...(old?.steps.slice(0, push.keep_steps) ?? []), ...sharing(push.steps)],
    branches: [...(old?.branches.slice(0, push.keep_branches) ?? []), ...push.branches],
    chart: chartAfter(old?.chart, push, push.keep_columns),
    notes: push.notes,
    linked: push.linked ?? false,
    ...(figures && { figures }),
    ...(operators && { operators }),
    ...(tags && { tags }),
    ...(annotations && { annotations }),
    ...(asWritten && { as_written: asWritten }),
  };
}

/** The step under the cursor: the selected one, else the last. */
export function stepAt(trace: Trace | null, selection: Partial<Selection>): Step | null {
  if (!trace || trace.steps.length === 0) return null;
  const last = trace.steps.length - 1;
  return trace.steps[Math.min(selection.step ?? last, last)] ?? null;
}

export const ruleOf = (program: Program, id: number | null): Rule | null =>
  id === null ? null : (program.rules[id] ?? program.rules.find((r) => r.id === id) ?? null);
export const stateOf = (program: Program, id: number | null): State | null =>
  id === null ? null : (program.states[id] ?? null);

/** The decision that stood before the byte at an offset; null inside a token. Steps are in the order of bytes. */
export function stepAtByte(steps: readonly Step[], byte: number): number | null {
  let [lo, hi] = [0, steps.length];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if ((steps[mid] as Step).byte_begin < byte) lo = mid + 1;
    else hi = mid;
  }
  return steps[lo]?.byte_begin === byte ? lo : null;
}

/** A state as people say it: its rule and its number inside the rule. */
export function stateName(program: Program, id: number): string {
  const rule = ruleOf(program, stateOf(program, id)?.rule ?? null);
  return rule ? `${rule.name}·${id - rule.states[0]}` : `·${id}`;
}

/** The innermost live item of a step. */
export const innermost = (step: Step | null): Item | null => step?.live[step.inner ?? -1] ?? null;

/** The rule to show when none is chosen: that of the chosen state, else of the innermost live item. */
export function ruleInFocus(trace: Trace, selection: Partial<Selection>, step = stepAt(trace, selection)): number {
  if (selection.rule != null) return selection.rule;
  const state = stateOf(trace.program, selection.state ?? null);
  if (state) return state.rule;
  return innermost(step)?.rule ?? trace.program.rules[0]?.id ?? 0;
}

/** States that belong to a rule, in order. */
export const statesOfRule = <S extends DrawnState>(program: { states: S[] }, rule: DrawnRule): S[] =>
  program.states.slice(rule.states[0], rule.states[1]);

const edgesBefore = new WeakMap<Program, Map<number, Edge[]>>();
/** The edges that leave a state, in order. */
export function edgesFrom(program: Program, state: number): readonly Edge[] {
  let edges = edgesBefore.get(program);
  if (!edges) {
    edges = groupBy(program.edges, (edge) => edge.from);
    edgesBefore.set(program, edges);
  }
  return edges.get(state) ?? [];
}

/** How long the tokens of a trace are: all bytes chosen so far. */
export function bytesSoFar(steps: readonly Step[]): number {
  const last = steps.at(-1);
  return last ? last.byte_begin + last.n_bytes : 0;
}

/** The bytes of a step's token, from their hexadecimal form. */
export function fromHex(hex: string | null): number[] {
  const out: number[] = [];
  for (let k = 0; k + 1 < (hex?.length ?? 0); k += 2) out.push(Number.parseInt((hex as string).slice(k, k + 2), 16));
  return out;
}

/** Values by key, in order of appearance. */
export function groupBy<K, T>(values: readonly T[], key: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}

const unitsOf = (text: string): number => {
  let sum = 0;
  for (let k = 0; k < text.length; k++) sum += text.charCodeAt(k);
  return sum;
};
/** How far a trace has come, in a word that another one hardly has: what a notebook keeps is compared by it (xg2lab/widgets/saved.py). */
export function cameTo({ header, steps, branches, annotations = [] }: Trace): string {
  const taken = steps.reduce((n, { token_id }) => n + (token_id ?? 0) + 1, 0);
  const came = [header.grammar.text.length, header.prompt.length, branches.length, steps.length, taken];
  const noted = annotations.reduce((n, { text }) => n + unitsOf(text), 0);
  return [...came, ...(noted ? [noted] : [])].join(" ");
}
