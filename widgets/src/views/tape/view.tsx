// Tape: what was written, token by token; what the model wanted, what the grammar left, what it cost.
//
// Reader sees  the whole run in one strip, the steps round the cursor with their bytes, kinds and small multiples, and the
//              candidates of the step. Python -> browser: the trace. Browser -> Python: the cursor, step, back, run, pause, force.

import { useSignal } from "@preact/signals";
import { useContext, useMemo } from "preact/hooks";
import { v } from "../../parts/colour";
import { memo } from "../../parts/memo";
import { Notes, notesAbout, notesBySteps } from "../../parts/notes";
import { BARE, PaneContext } from "../../parts/pane";
import { placeIn } from "../../parts/place";
import { Empty, Panel, useWidth } from "../../parts/small";
import { StepSlider } from "../../parts/step_slider";
import { RunTo, Transport } from "../../parts/transport";
import type { Store } from "../../store";
import { micros, millis, plural, zLevel } from "../../text";
import { bytesSoFar } from "../../trace";
import type { PanelProps } from "../../view";
import type { Step, Trace } from "../../wire";
import { OperatorStrip, OperatorTable } from "../operator_view/strip";
import { Candidates } from "./candidates";
import { Columns, TapeLegend } from "./columns";
import { type Bin, GUTTER, overviewBins, type TapeWindow, tapeWindow } from "./layout";
import { lanes } from "./strips";
import { TapeTable } from "./table";

const hasOperators = (trace: Trace) => trace.operators !== undefined && "rows" in trace.operators;

/** The overview and its margin. */
const OVERVIEW = 50;
/** What head and margins of a pane take; without a head, the margins alone. */
const AROUND = { withHead: 37, bare: 4 };
/** From this height on a pane shows its candidates too. */
const WITH_CANDIDATES = 400;

const KIND_COLOUR = {
  sampled: "rule-strong",
  forced_by_grammar: "by-grammar",
  forced_by_user: "by-user",
  jump_forward: "jump",
};

const median = (values: number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
};

function readout(trace: Trace): string {
  const chosen = trace.steps.filter((s) => s.kind !== null);
  const rolled = trace.branches.reduce((n, b) => n + b.steps.length, 0);
  const model = median(chosen.flatMap((s) => (s.model_ms === null ? [] : [s.model_ms])));
  const mask = median(chosen.flatMap((s) => (s.mask_us === null ? [] : [s.mask_us])));
  return [
    plural(chosen.length, "token"),
    plural(bytesSoFar(trace.steps), "byte"),
    ...(rolled ? [`${rolled} rolled back`] : []),
    ...(model !== null ? [`median model ${millis(model)} ms`] : []),
    ...(mask !== null ? [`mask ${micros(mask)}`] : []),
  ].join(", ");
}

const Bins = memo(({ bins, cell }: { bins: Bin[]; cell: number }) => (
  <g>
    {bins.map((bin, k) => {
      const x = GUTTER + k * cell;
      const width = Math.max(1, cell - 1);
      const kind = bin.kind ? KIND_COLOUR[bin.kind] : "rule";
      return (
        <g key={bin.first}>
          <rect x={x} y="6" width={width} height={bin.kind ? 3 : 1} fill={v(kind)} />
          {bin.lost > 0.015 && (
            <rect
              x={x}
              y="11"
              width={width}
              height={Math.max(1.5, bin.lost * 18)}
              fill={v(`z-${zLevel(1 - bin.lost)}`)}
            />
          )}
        </g>
      );
    })}
  </g>
));

/** All steps in one strip: kind on top, lost mass below, a bracket round what the columns show. */
function Overview({
  store,
  steps,
  view,
  width,
  cursor,
}: {
  store: Store;
  steps: Step[];
  view: TapeWindow;
  width: number;
  cursor: number;
}) {
  const w = Math.max(1, width - GUTTER - 4);
  const bins = useMemo(() => overviewBins(steps, w), [steps, w]);
  const cell = Math.min(24, w / bins.length);
  const x = (step: number) => GUTTER + (step / Math.max(1, steps.length)) * cell * bins.length;
  return (
    <StepSlider
      store={store}
      n={steps.length}
      cursor={cursor}
      cls="overview"
      label="Cursor in the trace"
      at={(at) => Math.floor(((at - GUTTER) / (cell * bins.length)) * steps.length)}
    >
      <svg width={width} height="40" aria-hidden="true">
        <text class="ink-2 end" x={GUTTER - 12} y="13">
          trace
        </text>
        <text x={GUTTER - 12} y="27" class="end">
          {plural(steps.length, "step")}
        </text>
        <rect x={GUTTER} y="0" width={w} height="38" fill="transparent" />
        <Bins bins={bins} cell={cell} />
        <path d={`M${GUTTER} 30.5H${GUTTER + w}`} stroke={v("rule")} />
        <rect
          x={x(view.from) - 1}
          y="3.5"
          width={x(view.to) - x(view.from) + 1}
          height="29"
          fill="none"
          stroke={v("ink-3")}
          rx="2"
        />
        <path
          d={`M${x(cursor) + cell / 2} 33v-2m-4 6 4-4.5 4 4.5Z`}
          fill={v("select-line")}
          stroke={v("select-line")}
        />
      </svg>
    </StepSlider>
  );
}

interface PictureProps {
  store: Store;
  trace: Trace;
  width: number;
  /** for the columns; null: as much as they take */
  room: number | null;
}
function Picture({ store, trace, width, room }: PictureProps) {
  const hover = useSignal<number | null>(null);
  const { steps } = trace;
  const cursor = store.step.value?.index ?? 0;
  const view = useMemo(() => tapeWindow(steps, width - GUTTER - 4, cursor), [steps, width, cursor]);
  const notes = useMemo(() => notesBySteps(trace.annotations), [trace.annotations]);
  const at = useMemo(() => lanes(trace.branches.length > 0, room), [trace.branches.length > 0, room]);
  // the workbench has the whole run in its head
  const isWhole = room === null || room >= at.height + OVERVIEW;
  const columnAt = (event: MouseEvent): number | null => {
    const { x } = placeIn(event);
    return view.columns.find((c) => x >= c.x && x < c.x + c.width)?.index ?? null;
  };
  const pick = (event: MouseEvent) => {
    const index = columnAt(event);
    if (index !== null) store.goTo(index);
  };
  return (
    <>
      {isWhole && <Overview store={store} steps={steps} view={view} width={width} cursor={cursor} />}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: shift with the arrow keys moves the cursor from anywhere in the widget */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the table twin holds the same steps as buttons */}
      <div
        class="tape-columns"
        onClick={pick}
        onMouseMove={(e) => {
          hover.value = columnAt(e);
        }}
        onMouseLeave={() => {
          hover.value = null;
        }}
      >
        <Columns
          at={at}
          steps={steps}
          branches={trace.branches}
          view={view}
          width={width}
          cursor={cursor}
          hover={hover.value}
          size={trace.header.vocab_size}
          notes={notes}
        />
      </div>
      {hasOperators(trace) && <OperatorStrip store={store} view={view} />}
      {isWhole && <TapeLegend />}
    </>
  );
}

/** The field with the step's number. What a reader types there stays while the cursor moves, until it is taken or left. */
function GoTo({ store, cursor, last }: { store: Store; cursor: number; last: number }) {
  const typed = useSignal<string | null>(null);
  return (
    <label class="xs faint go-to" title="Go to a step (g)">
      step
      <input
        class="field"
        type="number"
        min={0}
        max={last}
        value={typed.value ?? cursor}
        data-key="g"
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
        onChange={(event) => {
          const step = Number(event.currentTarget.value);
          typed.value = null;
          store.goTo(step);
        }}
        onBlur={() => {
          typed.value = null;
        }}
      />
    </label>
  );
}

export function Tape({ store, nested }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  const height = useContext(PaneContext)?.height ?? null;
  const room = height === null ? null : height - (height < BARE ? AROUND.bare : AROUND.withHead);
  const trace = store.link.trace.value;
  const cursor = store.step.value?.index ?? 0;
  const said = useMemo(() => trace && readout(trace), [trace]);
  const tools = trace && (
    <>
      <GoTo store={store} cursor={cursor} last={trace.steps.length - 1} />
      {width > 620 && <RunTo store={store} />}
      {!nested && <Transport store={store} wide={width > 860} />}
    </>
  );
  return (
    <Panel
      readout={said}
      tools={tools}
      table={table.value}
      onTable={() => {
        table.value = !table.value;
      }}
    >
      <div class="body" ref={box}>
        {!trace && <Empty title="No step yet">Waiting for the session's first step.</Empty>}
        {trace && table.value && <TapeTable store={store} steps={trace.steps} cursor={cursor} />}
        {trace && table.value && hasOperators(trace) && <OperatorTable store={store} />}
        {trace && !table.value && width > 0 && <Picture store={store} trace={trace} width={width} room={room} />}
      </div>
      {trace && (height === null || height >= WITH_CANDIDATES) && (
        <Notes store={store} of={notesAbout(trace, { step: cursor })} />
      )}
      {trace && (height === null || height >= WITH_CANDIDATES) && <Candidates store={store} width={width} />}
    </Panel>
  );
}
