// Student mode of the chart: the column under the cursor is filled by hand, one operation at a time, and each step is checked.
//
// Reader sees  the columns that the new one comes from, its own with what was found, and of each step whether it was right, or which
//              mistake it was and why. Nothing is asked of Python and nothing is told: the recorded chart and the program judge.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Empty, useWidth } from "../../../parts/small";
import type { Store } from "../../../store";
import type { PanelProps } from "../../../view";
import type { ChartItem, Trace } from "../../../wire";
import { OPS } from "../parts";
import { selectionIn } from "../written";
import { ExerciseDrawing, itemAt, keyOf } from "./drawing";
import { ColumnExercise } from "./layout";
import { coded, Head, Naming, Said } from "./parts";
import type { Verb } from "./words";

const KEYS: Record<string, Verb> = { p: "predict", s: "scan", c: "complete" };
const ORDER: readonly Verb[] = ["predict", "scan", "complete"];

const opOf = (verb: Verb) => OPS.find((op) => op.name === verb);

/** The column of the selected byte or item, else that before the step under the cursor. */
function columnUnderCursor(store: Store, trace: Trace): number | null {
  const { byte, item } = selectionIn(store, trace);
  const step = store.step.value;
  const wanted = item ? item[0] : byte === null ? null : byte + 1;
  const at = wanted !== null && wanted < trace.chart.columns.length ? wanted : (step?.byte_begin ?? 0);
  return at < trace.chart.columns.length ? at : null;
}

/** An exercise changes in itself: each step draws every view of it anew. */
const turn = signal(0);
/** Work on a column is kept as long as the column is the same one, whichever view shows it. */
const kept = new WeakMap<readonly ChartItem[], ColumnExercise>();
function exerciseOf(trace: Trace | null, column: number | null, again = false): ColumnExercise | null {
  const items = column === null ? undefined : trace?.chart.columns[column];
  if (!trace || column === null || !items) return null;
  let exercise = kept.get(items);
  if (!exercise || again) {
    exercise = new ColumnExercise(trace, column);
    kept.set(items, exercise);
  }
  return exercise;
}

export interface ExerciseProps extends PanelProps {
  /** with the grammar as written, or the engine's */
  trace: Trace | null;
}

export function Exercise({ store, trace }: ExerciseProps) {
  const [box, width] = useWidth();
  turn.value;
  const exercise = exerciseOf(trace, trace && columnUnderCursor(store, trace));
  const chosen = useSignal<string | null>(null);
  const fresh = useSignal<readonly string[]>([]);
  const hint = useSignal("");
  const root = useRef<HTMLDivElement>(null);
  const isDrawn = width > 0;
  // The items are drawn when their width is known, frames later: keys pressed until then arrive
  // here.
  useLayoutEffect(() => root.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    root.current?.querySelector<HTMLElement>(".by-hand")?.focus({ preventScroll: true });
  }, [isDrawn]);
  useEffect(() => {
    chosen.value = null;
    fresh.value = [];
    hint.value = "";
  }, [exercise, chosen, fresh, hint]);
  if (!exercise)
    return <Empty title="No column here">{trace?.notes[0] ?? "The chart of this step was not recorded."}</Empty>;
  const after = (act: () => void) => {
    const before = new Set(exercise.found.keys());
    hint.value = "";
    act();
    const added = [...exercise.found.keys()].filter((index) => !before.has(index));
    fresh.value = added.map((index) => `${exercise.column}:${index}`);
    if (fresh.value.length > 0) chosen.value = fresh.value[0] as string;
    turn.value++;
  };
  const act = (verb: Verb) => {
    const item = chosen.value && itemAt(exercise, chosen.value);
    if (item) after(() => exercise.do(verb, item));
    else {
      hint.value = `choose the item to ${verb}`;
      turn.value++;
    }
  };
  const others: Record<string, [label: string, act: () => void, off: boolean]> = {
    h: [
      "hint",
      () => {
        const { text, item } = exercise.hint();
        hint.value = text;
        if (item) chosen.value = keyOf(exercise, item);
        turn.value++;
      },
      exercise.missing === 0,
    ],
    u: [
      "undo",
      () =>
        after(() => {
          exercise.undo();
          chosen.value = null;
        }),
      exercise.found.size === exercise.nGiven,
    ],
    r: ["reveal", () => after(() => exercise.reveal()), exercise.missing === 0],
    a: [
      "again",
      () => {
        exerciseOf(trace, exercise.column, true);
        turn.value++;
      },
      exercise.log.length + exercise.nHints + exercise.nRevealed === 0,
    ],
  };
  const keys = (event: KeyboardEvent) => {
    const target = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || event.altKey || target instanceof HTMLInputElement) return;
    if (target instanceof HTMLSelectElement) return;
    const verb = KEYS[event.key];
    if (verb) act(verb);
    else if (others[event.key]) others[event.key]?.[1]();
    else if (event.key !== "Enter" || target instanceof HTMLButtonElement) return; // enter on an item forces no token
    event.preventDefault();
  };
  const last = exercise.log.at(-1);
  const item = chosen.value ? itemAt(exercise, chosen.value) : undefined;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of what is inside, each of which has a button
    <div
      class="exercise"
      ref={root}
      tabIndex={-1}
      onKeyDown={keys}
      data-column={exercise.column}
      data-missing={exercise.missing}
    >
      <Head store={store} exercise={exercise} />
      <div ref={box}>
        {isDrawn && (
          <ExerciseDrawing
            exercise={exercise}
            width={width}
            chosen={chosen.value}
            choose={(key) => {
              chosen.value = key;
              fresh.value = [];
            }}
            wrong={last && !last.right && last.item ? keyOf(exercise, last.item) : null}
            fresh={fresh.value}
          />
        )}
      </div>
      <div class="by-hand-do">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset brings a box and a legend that a row of buttons has no use for */}
        <span class="verbs" role="group" aria-label="What is done to the item">
          {ORDER.map((verb) => (
            <button key={verb} type="button" data-verb={verb} onClick={() => act(verb)}>
              <b class={`op ${verb}`}>{opOf(verb)?.letter}</b>
              {verb} <kbd>{verb[0]}</kbd>
            </button>
          ))}
        </span>
        <span class="chosen mono clip" data-chosen={chosen.value}>
          {item ? exercise.words.item(item) : <span class="faint">no item is chosen</span>}
        </span>
        <span class="verbs">
          {Object.entries(others).map(([key, [label, run, off]]) => (
            <button key={key} type="button" class="ghost" disabled={off} data-do={label} onClick={run}>
              {label} <kbd>{key}</kbd>
            </button>
          ))}
        </span>
      </div>
      <Said exercise={exercise} hint={hint.value} />
      <Naming
        key={exercise.column}
        exercise={exercise}
        say={(state, origin) => after(() => exercise.add(state, origin))}
      />
      <details class="textbook">
        <summary>Where this differs from a textbook's column</summary>
        <ul>
          {exercise.differences().map((sentence) => (
            <li key={sentence}>{coded(sentence)}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}
