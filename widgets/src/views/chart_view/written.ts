// The chart and the tree follow the grammar as written, or the engine's: what is drawn, and what a click there selects. Pure but for one
// signal for each session.
//
// IDEA  Python records the grammar as written beside the engine's: its program and its chart (xg2lab/lab/trace/as_written.py). Drawn from
//       it, a trace looks like any other: `drawnOf` puts the other program and chart into it. Rules, states and items have other numbers
//       there. A selection that all views share has the engine's numbers, so an item as written is kept beside it, and the shared selection
//       gets the engine's rule and state that read the same place of the grammar.
import { ofSession } from "../../parts/of_session";
import type { Store } from "../../store";
import type { Explanation, Item, Program, Selection, Span, State, Step, Trace } from "../../wire";

export type Mode = "written" | "engine";

const drawnBefore = new WeakMap<Trace, Trace>();
const engines = new WeakMap<Trace, Trace>();
/** The trace to draw: with the grammar as written where that is wanted and recorded. */
export function drawnOf(trace: Trace, mode: Mode): Trace {
  const written = trace.as_written;
  if (mode === "engine" || !written?.program) return trace;
  let drawn = drawnBefore.get(trace);
  if (!drawn) {
    drawn = { ...trace, program: written.program, chart: written.chart };
    drawnBefore.set(trace, drawn);
    engines.set(drawn, trace);
  }
  return drawn;
}
/** The trace that a drawn one was made from; null if it is the engine's own. */
export const engineOf = (drawn: Trace): Trace | null => engines.get(drawn) ?? null;

const stepsBefore = new WeakMap<Step, Map<Trace["chart"], Step>>();
/** The step as the drawn trace has it: the root of its tree, and its live items. */
export function stepIn(drawn: Trace, step: Step): Step {
  if (!engineOf(drawn)) return step;
  const made = stepsBefore.get(step) ?? new Map<Trace["chart"], Step>();
  stepsBefore.set(step, made);
  let own = made.get(drawn.chart);
  if (!own) {
    const { states } = drawn.program;
    const column = drawn.chart.columns[step.byte_begin] ?? [];
    const live = column.flatMap(([state, origin]): Item[] =>
      states[state]?.scannable ? [{ state, origin, rule: states[state].rule }] : [],
    );
    const root = step.root_as_written ?? null;
    const last = root?.line.at(-1);
    const inner = last && drawn.chart.columns[last[0] as number]?.[last[1] as number];
    const at = live.findIndex((item) => item.state === inner?.[0] && item.origin === inner?.[1]);
    if (inner && at < 0) live.push({ state: inner[0], origin: inner[1], rule: states[inner[0]]?.rule ?? 0 });
    own = { ...step, root, live, inner: inner ? (at < 0 ? live.length - 1 : at) : null };
    made.clear();
    made.set(drawn.chart, own);
  }
  return own;
}

/** An explanation with the items of the drawn trace; null: the engine's alone is known. */
export function whyIn(drawn: Trace, why: Explanation): Explanation | null {
  if (!engineOf(drawn)) return why;
  const { walk_as_written: walk, expected_as_written: expected_by, missing_as_written: missing } = why;
  return walk && expected_by && missing ? { ...why, walk, expected_by, missing } : null;
}

/** Which grammar the views of a session draw: a switch in one of them is a switch in all. */
export const modeOf = ofSession<Mode>("written");
/** The selected item of the chart as written. */
export const writtenItem = ofSession<Selection["item"]>(null);

const byName = (program: Program, name: string | undefined) => program.rules.find((rule) => rule.name === name);

type Place = Pick<Selection, "rule" | "state" | "mask_entry">;
const leaving = new WeakMap<Program, Map<number, string>>();
/** By state, the bytes that its edges read. */
function bytesOf(program: Program): Map<number, string> {
  const known = leaving.get(program) ?? new Map<number, string>();
  if (!leaving.has(program)) {
    leaving.set(program, known);
    for (const { from, ranges } of program.edges)
      for (const range of ranges) known.set(from, `${known.get(from) ?? ""} ${range.join("-")}`);
  }
  return known;
}

/**
 * How much more of the text a state reads than those parts: 0 if the state reads one of them, infinite
 * if it reads another place.
 */
function beyond(parts: readonly Span[], spans: readonly Span[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [a, b] of parts)
    for (const [c, d] of spans)
      if (c <= a && b <= d) least = Math.min(least, d - c - (b - a));
      else if (a <= c && d <= b) least = Math.min(least, b - a - (d - c));
  return least;
}

const NONE: ReadonlySet<number> = new Set();
/**
 * The rule and the state of another program of the same grammar that read the same place of it as a state.
 *
 * The states of a literal share one place; of them, the one that reads the same bytes is taken. A state
 * of the engine may stand for several places that minimization merged: its span reaches from the first
 * to the last of them. Of the states within that span, those in `near` go before others.
 */
function samePlace(from: Program, program: Program, state: number, near: ReadonlySet<number> = NONE): Place {
  const of = from.states[state];
  const rule = byName(program, from.rules[of?.rule ?? -1]?.name);
  const [bytes, others] = [bytesOf(from).get(state), bytesOf(program)];
  let found: State | undefined;
  let best = [Number.POSITIVE_INFINITY];
  for (const one of of ? program.states : []) {
    const more = beyond(of?.spans ?? [], one.spans);
    const isOfRule = !rule || one.rule === rule.id;
    const likes = [near.has(one.id), more === 0, isOfRule, others.get(one.id) === bytes];
    const unlike = [...likes.map((like) => (like ? 0 : 1)), more];
    const k = unlike.findIndex((value, at) => value !== best[at]);
    if (more === Number.POSITIVE_INFINITY || k < 0 || (best[k] ?? 0) < (unlike[k] as number)) continue;
    [found, best] = [one, unlike];
  }
  return {
    rule: found?.rule ?? rule?.id ?? null, // of a rule that was written into its callers, the caller's
    state: found?.id ?? null,
    mask_entry: found?.scannable ? found.id : null,
  };
}

/** The engine's rule and state for a state as written: those that read the same place of the grammar. */
export const traced = (drawn: Trace, state: number): Place =>
  samePlace(drawn.program, (engineOf(drawn) ?? drawn).program, state);

interface Chosen {
  rule: number | null;
  state: number | null;
  /** what the shared selection got for it */
  engine: Place;
}
/** by the session's model: each view reads a store of its own */
const chosen = new WeakMap<object, Chosen>();

/** A rule, or a state of it, is selected in the numbers of the drawn trace; both null: nothing. */
export function selectPlace(
  store: Store,
  drawn: Trace,
  rule: number | null,
  state: number | null,
  more: Partial<Selection> = {},
): void {
  const engine = engineOf(drawn);
  const { rules, states } = drawn.program;
  const name = rules[rule ?? -1]?.name;
  const mask_entry = state !== null && states[state]?.scannable ? state : null;
  const place: Place = !engine
    ? { rule, state, mask_entry }
    : state !== null
      ? traced(drawn, state)
      : { rule: byName(engine.program, name)?.id ?? null, state, mask_entry };
  if (engine) chosen.set(store.link.handle.model, { rule, state, engine: place });
  store.select({ item: null, ...more, ...place });
}

/**
 * The states of the drawn trace that are live or expected another byte than the selected token's; none
 * if the engine's state is neither.
 */
function near(store: Store, drawn: Trace, state: number): ReadonlySet<number> {
  const { step, candidate } = store;
  const [at, why] = [step.value, candidate.value];
  const isIn = (items: readonly { state: number }[] = []) => items.some((item) => item.state === state);
  if (!at || !(isIn(at.live) || isIn(why?.expected_by))) return NONE;
  return new Set([...stepIn(drawn, at).live, ...(why?.expected_as_written ?? [])].map((item) => item.state));
}

/**
 * The selected rule and state in the numbers of the drawn trace. For a state that another view selected
 * it is a state that reads the same place.
 */
export function placeIn(store: Store, drawn: Trace): Pick<Selection, "rule" | "state"> {
  const { rule, state } = store.selection.value;
  const engine = engineOf(drawn);
  if (!engine) return { rule, state };
  const own = chosen.get(store.link.handle.model);
  if (own && own.engine.rule === rule && own.engine.state === state) return own;
  if (state !== null) return samePlace(engine.program, drawn.program, state, near(store, drawn, state));
  return { rule: byName(drawn.program, engine.program.rules[rule ?? -1]?.name)?.id ?? null, state };
}

/** What is selected, in the numbers of the drawn trace. */
export function selectionIn(store: Store, drawn: Trace): Selection {
  const selection = store.selection.value;
  const engine = engineOf(drawn);
  if (!engine) return selection;
  const kept = writtenItem(store).value;
  const item = kept && drawn.chart.columns[kept[0] as number]?.[kept[1] as number] ? kept : null;
  const state = item ? (drawn.chart.columns[item[0] as number]?.[item[1] as number]?.[0] ?? null) : null;
  const name = selection.rule === null ? undefined : engine.program.rules[selection.rule]?.name;
  const rule = state === null ? (byName(drawn.program, name)?.id ?? null) : (drawn.program.states[state]?.rule ?? null);
  return { ...selection, item, state, rule, mask_entry: null };
}

/** An item, or a state and a byte without one, is selected in the numbers of the drawn trace. */
export function selectIn(
  store: Store,
  drawn: Trace,
  { item, state, rule, byte }: { item: Selection["item"]; state: number | null; rule: number | null; byte: number },
): void {
  if (!engineOf(drawn)) {
    const reads = state !== null && drawn.program.states[state]?.scannable;
    store.select({ item, state, rule, byte, mask_entry: reads ? state : null });
    return;
  }
  writtenItem(store).value = item;
  selectPlace(store, drawn, state === null ? null : rule, state, { byte });
}

/** The line of the grammar that a state reads, with the place in it; null where it has none. */
export function grammarLine(
  { program, header }: Trace,
  state: number,
): { line: number; text: string; begin: number; end: number } | null {
  const of = program.states[state];
  const span = of?.spans[0] ?? program.rules[of?.rule ?? -1]?.span;
  if (!span || span[0] === span[1]) return null;
  const bytes = new TextEncoder().encode(header.grammar.text);
  if ((span[1] as number) > bytes.length) return null;
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.slice(from, to));
  const [from, to] = span as [number, number];
  const first = bytes.lastIndexOf(10, from - 1) + 1;
  const next = bytes.indexOf(10, from);
  const end = next < 0 ? bytes.length : next;
  const line = 1 + bytes.slice(0, first).reduce((n, byte) => n + (byte === 10 ? 1 : 0), 0);
  const begin = text(first, from).length;
  return { line, text: text(first, end), begin, end: begin + text(from, Math.min(to, end)).length };
}
