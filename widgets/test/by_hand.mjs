// Fills columns by hand in Node, with the page's own code: recorded traces and steps come in, what became of each step goes out.
// tests/widgets/test_exercise.py runs this and judges.
import { readFileSync } from "node:fs";
import * as esbuild from "esbuild";

const entryPoints = ["src/views/chart_view/exercise/layout.ts"];
const { outputFiles } = await esbuild.build({ entryPoints, bundle: true, format: "esm", write: false });
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { ColumnExercise } = await import(`data:text/javascript;base64,${code}`);

const placed = ([column, state, origin]) => ({ column, state, origin });
const listed = ({ column, state, origin }) => [column, state, origin];
const ACTS = {
  do: (exercise, verb, item) => exercise.do(verb, placed(item)),
  add: (exercise, state, origin) => exercise.add(state, origin),
  /** the step that a hint names */
  hinted: (exercise) => {
    const { text } = exercise.hint();
    const step = exercise.next();
    return step ? { ...exercise.do(...step), text } : { right: true, kind: "nothing", reason: text, text };
  },
  undo: (exercise) => ({ right: exercise.undo(), kind: "undo", reason: "" }),
  reveal: (exercise) => {
    exercise.reveal();
    return { right: true, kind: "reveal", reason: "" };
  },
};

function filled(trace, { column, steps, finish }) {
  const exercise = new ColumnExercise(trace, column);
  const found = () => exercise.items(column).map(listed);
  const told = [{ found: found() }];
  const act = ([kind, ...words]) => {
    const { right, kind: mistake, reason, text } = ACTS[kind](exercise, ...words);
    told.push({ right, kind: mistake, reason, text, found: found() });
  };
  for (const step of steps) act(step);
  for (let n = 0; finish && exercise.missing > 0 && n < 10_000; n++) act(["hinted"]);
  return { told, missing: exercise.missing, score: exercise.score, differences: exercise.differences() };
}

const tasks = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(tasks.map(({ trace, columns }) => columns.map((one) => filled(trace, one)))));
