// Presenter mode: the lesson's panes alone, in large type over the whole page. What they say of the step is covered until the presenter
// reveals it, so that a class can guess first.
//
//   the next token   text and tape end at the cursor; → goes on, or samples
//   the step         the mask, the candidates, the machine and the chart are covered, and in the tape the figures of the step
//   the reason       Why is covered anew for each token that is selected
//
// What was revealed stays so for the same text, also when the cursor comes back to it. Pure, but for the store that `withTrace` wraps.
import type { Store } from "../store";
import type { Chart, Step, Trace } from "../wire";

/** The panes of a presenter who has named none. */
export const PRESENTED: string[] = ["text_view", "tape", "mask_lens", "why_card"];
/** What these views say is the answer to a question that a class can be asked. Of the tape, only its column at the cursor. */
const COVERED = [
  "tape",
  "mask_lens",
  "why_card",
  "dist_view",
  "beam_view",
  "chart_view",
  "fsm_view",
  "dispatch_view",
  "operator_view",
];
const LEAST_ZOOM = 1.5;
const MOST_ZOOM = 3;
/** The width at which the panes stand beside each other, with room for their words. */
const SHOWN_PX = 1280;
export const zoomFor = (width: number): number => Math.max(LEAST_ZOOM, Math.min(MOST_ZOOM, width / SHOWN_PX));

/** What a covered view would answer: equal for the same text before the cursor. Null: the view is never covered. */
export function questionOf(view: string, trace: Trace, step: number, subject: unknown): string | null {
  if (!COVERED.includes(view)) return null;
  const text = trace.steps.slice(0, step).map(({ token_id }) => token_id);
  return JSON.stringify([view, text, view === "why_card" ? subject : null]);
}

function upTo(chart: Chart, column: number): Chart {
  const kept = <Row extends readonly unknown[]>(rows: Row[] = []) => rows.filter(([at]) => (at as number) <= column);
  const { columns, ways, ways_read, stepped_over } = chart;
  return {
    columns: columns.slice(0, column + 1),
    ways: kept(ways),
    ways_read: kept(ways_read),
    stepped_over: kept(stepped_over),
  };
}
const UNTAKEN = { kind: null, token_id: null, text: "", bytes: "", n_bytes: 0, p: null, q: null, rank: null } as const;
const UNKNOWN = { z: null, kl: null, n_allowed: null, mask_us: null, model_ms: null, cache: null } as const;
/** The trace as a class sees it: it ends at the cursor, before the token that was taken there. */
export function cutAt(trace: Trace, at: number, isRevealed: boolean): Trace {
  const step = trace.steps[at];
  if (!step) return trace;
  const shown: Step = { ...step, ...UNTAKEN, terminated: false };
  const last = step.terminated && step.kind === null ? step : shown;
  const written = trace.as_written;
  return {
    ...trace,
    steps: [...trace.steps.slice(0, at), isRevealed ? last : { ...last, ...UNKNOWN, top: [], entries: [] }],
    branches: [], // what was taken back is often what comes again
    chart: upTo(trace.chart, step.byte_begin),
    ...(written && { as_written: { ...written, chart: upTo(written.chart, step.byte_begin) } }),
  };
}

/** The same store, whose trace is another: what views draw of it. */
export function withTrace(store: Store, trace: Store["link"]["trace"]): Store {
  const over = <T extends object>(of: T, name: string, value: unknown): T =>
    new Proxy(of, {
      get(_, asked) {
        if (asked === name) return value;
        const own: unknown = Reflect.get(of, asked, of);
        return typeof own === "function" ? own.bind(of) : own; // with its private fields
      },
    });
  return over(store, "link", over(store.link, "trace", trace));
}
