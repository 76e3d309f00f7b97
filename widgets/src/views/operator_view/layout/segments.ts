// The output cut by operator, and how much of it was written without a choice of the model. Pure. Mirror of xg2lab/lab/trace/written.py.
import { int, nanos, plural } from "../../../text";
import { fromHex } from "../../../trace";
import type { Step } from "../../../wire";
import type { Operator } from "./operators";

/** A run of tokens whose first bytes one operator took; writer null: one of several did, and nothing says which. */
export interface Segment {
  first: number;
  last: number;
  writer: number | null;
  nOthers: number;
  /** its last token goes on in the next operator */
  crosses: boolean;
}
/** What took a token's first byte: the one Write that has that byte next, else the one that is no Write. */
function writerOf(
  operators: readonly Operator[],
  step: Step,
  isDeterministic: boolean,
): Omit<Segment, "first" | "last"> {
  const unknown = (nOthers: number) => ({ writer: null, nOthers, crosses: false });
  if (!step.operators || step.operators.n > step.operators.at.length) return unknown(step.operators?.n ?? 0);
  const bytes = fromHex(step.bytes);
  const rest = new Map<number, number>(); // of a Write: bytes that are left
  const others = new Set<number>();
  for (const { operator, n_written } of step.operators.at) {
    const one = operators[operator] as Operator;
    if (one.data === null || n_written >= one.data.length) others.add(operator);
    else if (one.data[n_written] === bytes[0]) rest.set(operator, one.nBytes - n_written);
  }
  const [write] = rest;
  if (write && rest.size === 1 && (isDeterministic || others.size === 0))
    return { writer: write[0], nOthers: 0, crosses: bytes.length > write[1] };
  const [other] = others;
  if (other !== undefined && rest.size === 0 && others.size === 1) return { writer: other, nOthers: 0, crosses: false };
  return unknown(rest.size + others.size);
}

/** Decided steps, cut where another operator wrote; first and last are indices into `steps`. */
export function segmentsOf(
  operators: readonly Operator[],
  steps: readonly Step[],
  isDeterministic: boolean,
): Segment[] {
  const out: Segment[] = [];
  for (const [k, step] of steps.entries()) {
    if (step.kind === null || step.n_bytes === 0) continue;
    const wrote = writerOf(operators, step, isDeterministic);
    const before = out.at(-1);
    const joins =
      before && before.last === k - 1 && wrote.writer !== null && before.writer === wrote.writer && !before.crosses;
    if (joins) Object.assign(before, { last: k, crosses: wrote.crosses });
    else out.push({ first: k, last: k, ...wrote });
  }
  return out;
}

/** What wrote a segment, in words. */
export const writerText = (operators: readonly Operator[], { writer, nOthers, crosses }: Segment): string => {
  const one = writer === null ? undefined : operators[writer];
  const text = one ? `${one.kind} ${one.text}`.trim() : nOthers > 0 ? `one of ${nOthers}` : "not recorded";
  return `${text}${crosses ? ", and on" : ""}`;
};

/** How many tokens were written, and of how many the model had no choice. */
export interface Share {
  n: number;
  /** of a text that had to follow: written without asking the model */
  jumped: number;
  /** the model was asked, and one token alone was allowed */
  forced: number;
  /** of the model's passes: those before tokens that were jumped, and all; null without a model */
  savedMs: number | null;
  modelMs: number | null;
}
export function shareOf(steps: readonly Step[]): Share {
  const decided = steps.filter((step) => step.kind !== null);
  const of = (kind: Step["kind"]) => decided.filter((step) => step.kind === kind);
  const ms = (some: readonly Step[]) =>
    decided.every((step) => step.model_ms === null) ? null : some.reduce((all, step) => all + (step.model_ms ?? 0), 0);
  const jumped = of("jump_forward");
  return {
    n: decided.length,
    jumped: jumped.length,
    forced: of("forced_by_grammar").length,
    savedMs: ms(jumped),
    modelMs: ms(decided),
  };
}

/** The share in words. A session measures the model before each token, for its views; a decoder that jumps doesn't. */
export function sayShare({ n, jumped, forced, savedMs, modelMs }: Share): string {
  if (n === 0) return "";
  const percent = Math.round((100 * (jumped + forced)) / n);
  const saved =
    jumped > 0 && savedMs !== null && modelMs !== null
      ? `; passes before tokens written by jump-forward: ${nanos(savedMs * 1e6)} of ${nanos(modelMs * 1e6)}, which a decoder that jumps saves`
      : "";
  return `without a choice of the model: ${int(jumped + forced)} of ${plural(n, "token")}, ${percent} % (${int(jumped)} by jump-forward, ${int(forced)} alone allowed)${saved}`;
}
