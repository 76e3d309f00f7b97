// Parts of student mode: which column and how far, the steps and what was said of the last, an item named outright.
import { useSignal } from "@preact/signals";
import { Glyph, Icon } from "../../../parts/glyphs";
import type { Store } from "../../../store";
import { plural } from "../../../text";
import { NOTHING_SELECTED, stepAtByte } from "../../../trace";
import type { Trace } from "../../../wire";
import { statesInPlay } from "./columns";
import type { ColumnExercise, ExerciseAnswer } from "./layout";
import { byteName } from "./words";

const MOST_LOGGED = 3;
/** What stands between backticks is code. */
export const coded = (words: string) => words.split("`").map((part, k) => (k % 2 ? <code key={k}>{part}</code> : part));

/** Every view goes to the step of that column, or to the byte within its token. */
function goToColumn(store: Store, trace: Trace, column: number): void {
  const step = stepAtByte(trace.steps, column);
  if (step !== null) {
    store.goTo(step);
    return;
  }
  const within = trace.steps.findLastIndex((s) => s.byte_begin < column);
  store.select({ ...NOTHING_SELECTED, step: within, byte: column - 1 });
}

export function Head({ store, exercise }: { store: Store; exercise: ColumnExercise }) {
  const { column, byte, trace } = exercise;
  const { right, wrong, hints, revealed } = exercise.score;
  const move = (by: -1 | 1, label: string) => (
    <button
      type="button"
      class="ghost icon"
      aria-label={label}
      title={label}
      disabled={column + by < 0 || column + by >= trace.chart.columns.length}
      onClick={() => goToColumn(store, trace, column + by)}
    >
      <Icon name={by < 0 ? "before" : "after"} />
    </button>
  );
  return (
    <div class="by-hand-head">
      <span class="which">
        {move(-1, "Column before")}
        <b>column {column}</b>
        {move(1, "Next column")}
        <span class="dim">{byte === null ? "before any byte" : <>after byte {coded(byteName(byte))}</>}</span>
      </span>
      <span class="faint xs" data-score>
        <b class="ink">
          {exercise.found.size} of {exercise.all.length}
        </b>{" "}
        items, {right} right, {wrong} wrong, {plural(hints, "hint")}
        {revealed > 0 && `, ${revealed} revealed`}
      </span>
    </div>
  );
}

/** A step as it was asked for, and whether it was right. */
const Logged = ({ answer }: { answer: ExerciseAnswer }) => (
  <li data-right={answer.right}>
    <Glyph shape={answer.right ? "yes" : "no"} />
    <span>{coded(answer.asked)}</span>
  </li>
);

export function Said({ exercise, hint }: { exercise: ColumnExercise; hint: string }) {
  const last = exercise.log.at(-1);
  const done = exercise.missing === 0;
  return (
    <div class="by-hand-said">
      <ol aria-label="Steps so far">
        {exercise.log.slice(-MOST_LOGGED).map((answer) => (
          <Logged key={exercise.log.indexOf(answer)} answer={answer} />
        ))}
      </ol>
      <p role="status" data-kind={hint ? "hint" : (last?.kind ?? "")} class={last && !last.right && !hint ? "bad" : ""}>
        {hint ? (
          <>hint: {coded(hint)}</>
        ) : last ? (
          coded(last.reason)
        ) : (
          "Choose an item and an operation. The result is added to the column."
        )}
      </p>
      {done && (
        <p class="done" data-finished>
          <Glyph shape="yes" /> Column {exercise.column} has all {plural(exercise.all.length, "item")}.
        </p>
      )}
    </div>
  );
}

/** An item said outright: its state, and the column it began in. */
export function Naming({ exercise, say }: { exercise: ColumnExercise; say: (state: number, origin: number) => void }) {
  const states = statesInPlay(exercise.trace, exercise.column);
  const state = useSignal(states[0] ?? 0);
  const origin = useSignal(exercise.column);
  const { states: all, rules } = exercise.trace.program;
  return (
    <form
      class="by-hand-name"
      onSubmit={(event) => {
        event.preventDefault();
        say(state.value, origin.value);
      }}
    >
      <label>
        <span class="faint">or name an item</span>
        <select
          class="field mono"
          value={state.value}
          onChange={(event) => {
            state.value = Number(event.currentTarget.value);
          }}
        >
          {states.map((id) => (
            <option key={id} value={id}>
              {rules[all[id]?.rule ?? -1]?.name} → {all[id]?.before} • {all[id]?.after}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="faint">from</span>
        <input
          class="field"
          type="number"
          min={0}
          max={exercise.column}
          value={origin.value}
          onInput={(event) => {
            origin.value = Number(event.currentTarget.value);
          }}
        />
      </label>
      <button type="submit">put in</button>
    </form>
  );
}
