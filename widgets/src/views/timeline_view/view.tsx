// TimelineView: model and mask on one clock, and what of the mask's time was waited for.
//
// Reader sees  a lane for the forward passes, one for the masks, one for the wait between them, over the steps; the figures of the run;
//              the times of one step. Python -> browser: the trace. Browser -> Python: step.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { placeIn } from "../../parts/place";
import { Empty, Panel, useWidth } from "../../parts/small";
import { useFigures } from "../../parts/watched";
import type { Store } from "../../store";
import { int, nanos } from "../../text";
import type { PanelProps } from "../../view";
import type { Lane, LaneFigures, Step, Trace } from "../../wire";
import { words } from "../../words";
import { TimelineDrawing } from "./drawing";
import { blockAt, GUTTER, showing, timeline, type Window, within } from "./layout";

const lasted = (lane: Lane | null | undefined): string => (lane ? nanos(lane[1] - lane[0]) : "–");

/** What a step took, in words. */
function said({ index, lanes }: Step): string {
  if (!lanes) return `Step ${index}: ${words.timeline.not_recorded}.`;
  const parts = (["model", "mask", "apply", "sample"] as const).filter((name) => lanes[name]);
  const times = parts.map((name) => `${name} ${lasted(lanes[name])}`).join(", ");
  return `Step ${index}: ${times}${lanes.wait_ns === null ? "" : `; waited for the mask ${nanos(lanes.wait_ns)}`}.`;
}

/** The lanes as one control: a click or the arrows move the cursor; ctrl and the wheel, + and − zoom. */
function Lanes({ store, trace, width, cursor }: { store: Store; trace: Trace; width: number; cursor: number }) {
  const { steps, header } = trace;
  const blocks = useMemo(() => timeline(steps, header), [steps, header]);
  const box = useRef<HTMLDivElement>(null);
  const chosen = useSignal<Window | null>(null);
  const hovered = useSignal<number | null>(null);
  // Until the reader zooms: all of a short run, of a longer one as much as leaves a step some 24 pixels.
  const some = ((blocks.at(-1)?.end ?? 0) / Math.max(1, blocks.length)) * Math.max(8, (width - GUTTER) / 24);
  const window = chosen.value ? within(blocks, chosen.value) : showing(blocks, { from: 0, span: some }, cursor);
  // Only a cursor that has moved is brought into sight: the reader may pan away from it.
  useEffect(() => {
    if (chosen.peek()) chosen.value = showing(blocks, chosen.peek() as Window, cursor);
  }, [cursor]);
  const zoom = (by: number, at = 0.5) => {
    const { span } = within(blocks, { from: 0, span: window.span * by });
    chosen.value = within(blocks, { from: window.from + (window.span - span) * at, span });
  };
  const latest = useRef({ zoom, window });
  latest.current = { zoom, window };
  useEffect(() => {
    const wheel = (event: WheelEvent) => {
      const el = event.currentTarget as HTMLElement;
      const place = (placeIn(event).x - GUTTER) / (el.clientWidth - GUTTER);
      const { zoom, window } = latest.current;
      if (event.ctrlKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.max(0, Math.min(1, place)));
      else if (event.deltaX !== 0)
        chosen.value = within(blocks, { ...window, from: window.from + (event.deltaX / width) * window.span });
      else return;
      event.preventDefault();
    };
    const el = box.current;
    el?.addEventListener("wheel", wheel, { passive: false });
    return () => el?.removeEventListener("wheel", wheel);
  }, [blocks, chosen, width]);
  const stepAt = (event: PointerEvent) => {
    const x = placeIn(event).x - GUTTER;
    return x < 0 ? null : (blockAt(blocks, window.from + (x / (width - GUTTER)) * window.span)?.index ?? null);
  };
  const pick = (event: PointerEvent) => {
    const step = stepAt(event);
    if (event.type === "pointermove") hovered.value = step;
    if ((event.type === "pointerdown" || event.buttons > 0) && step !== null) store.goTo(step);
  };
  const keys = (event: KeyboardEvent) => {
    const to = { ArrowLeft: cursor - 1, ArrowRight: cursor + 1, Home: 0, End: steps.length - 1 }[event.key];
    if (to !== undefined) store.goTo(to);
    else if (event.key === "+") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") chosen.value = within(blocks, { from: 0, span: 0 });
    else return;
    event.preventDefault();
  };
  const shown = steps[hovered.value ?? cursor] ?? steps[cursor];
  return (
    <>
      <div
        ref={box}
        class="cache-lanes"
        role="slider"
        tabIndex={0}
        aria-label="Model and mask over the steps"
        aria-valuemin={0}
        aria-valuemax={steps.length - 1}
        aria-valuenow={cursor}
        aria-valuetext={steps[cursor] && said(steps[cursor])}
        aria-keyshortcuts="+ - 0"
        onPointerDown={pick}
        onPointerMove={pick}
        onPointerLeave={() => {
          hovered.value = null;
        }}
        onKeyDown={keys}
      >
        <TimelineDrawing blocks={blocks} window={window} width={width} cursor={cursor} />
      </div>
      <p class="xs faint">
        time at work, rests left out<span data-act>; + and −, or ctrl and the wheel, zoom; 0 shows all</span>
      </p>
      {shown && (
        <p class="cache-fill" data-said>
          {said(shown)}
        </p>
      )}
    </>
  );
}

/** Prompt and compilation: side by side, or one after the other. */
function Prefill({ trace, wait }: { trace: Trace; wait: number | null }) {
  const compile = trace.header.compile_lane;
  const prompt = trace.steps[0]?.lanes?.model;
  if (!compile || !prompt || wait === null) return null;
  return (
    <p class="cache-fill" data-prefill>
      Prompt {lasted(prompt)}, compilation (hollow bar) {lasted(compile)}, of it waited for {nanos(wait)}.
    </p>
  );
}

const Head = ({ names }: { names: readonly string[] }) => (
  <thead>
    <tr>
      {names.map((name, k) => (
        <th key={name} scope="col" class={k === 0 ? "" : "num"}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

const FiguresTable = ({ rows }: { rows: [name: string, of: LaneFigures][] }) => (
  <table class="table timeline-figures">
    <Head names={["lane", "p50", "p95", "in all"]} />
    <tbody>
      {rows.map(([name, of]) => (
        <tr key={name} data-figures={name}>
          <th scope="row">{name}</th>
          <td class="num">{nanos(of.p50)}</td>
          <td class="num">{nanos(of.p95)}</td>
          <td class="num">{nanos(of.sum)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** The lanes' table twin: a row a step. */
const StepsTable = ({ store, trace, cursor }: { store: Store; trace: Trace; cursor: number }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
  <section class="scroll" tabIndex={0} aria-label="Times, a row a step">
    <table class="table">
      <Head names={["step", "model", "mask", "wait", "apply", "sample"]} />
      <tbody>
        {trace.steps.map(({ index, lanes }) => (
          <tr key={index} class={index === cursor ? "is-selected" : ""}>
            <th scope="row">
              <button type="button" class="link" onClick={() => store.goTo(index)}>
                {index}
              </button>
            </th>
            <td class="num">{lasted(lanes?.model)}</td>
            <td class="num">{lasted(lanes?.mask)}</td>
            <td class="num">{lanes?.wait_ns == null ? "–" : nanos(lanes.wait_ns)}</td>
            <td class="num">{lasted(lanes?.apply)}</td>
            <td class="num">{lasted(lanes?.sample)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** How far the run that is on has come, at most; esc or the button pauses it after the step it is in. */
function RunProgress({ store }: { store: Store }) {
  const run = store.link.run.value;
  if (!store.isRunning || !run) return null;
  const [taken, most] = run;
  return (
    <div class="progress">
      <span
        class="track"
        role="progressbar"
        aria-label="Run"
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={taken}
      >
        <i style={{ width: `${(100 * taken) / Math.max(1, most)}%` }} />
      </span>
      <span class="xs dim">
        token {int(taken)} of at most {int(most)}
      </span>
      <button type="button" onClick={() => store.pause()}>
        pause<kbd>esc</kbd>
      </button>
    </div>
  );
}

export function TimelineView({ store }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  const trace = store.link.trace.value;
  const step = store.step.value;
  const lanes = useFigures(store)?.lanes;
  const rows = Object.entries(lanes?.rows ?? {});
  const hidden = lanes?.hidden ?? null;
  const hasLanes = trace?.steps.some((s) => s.lanes) ?? false;
  const overlap = trace?.header.overlap;
  const parts = [
    ...(overlap === undefined || overlap === null ? [] : [`overlap ${overlap ? "on" : "off"}`]),
    ...(hidden === null ? [] : [`${Math.round(hidden * 100)} % of the mask time hidden`]),
  ];
  return (
    <Panel
      readout={parts.join("; ")}
      table={table.value}
      onTable={() => {
        table.value = !table.value;
      }}
    >
      <RunProgress store={store} />
      <div class="body" ref={box}>
        {!hasLanes && (
          <Empty title="No times">This trace has an older version, without the times of model and mask.</Empty>
        )}
        {trace && step && hasLanes && width > 0 && (
          <>
            {table.value ? (
              <StepsTable store={store} trace={trace} cursor={step.index} />
            ) : (
              <Lanes store={store} trace={trace} width={width} cursor={step.index} />
            )}
            <Prefill trace={trace} wait={lanes?.prefill_wait ?? null} />
            {rows.length > 0 && <FiguresTable rows={rows} />}
          </>
        )}
      </div>
    </Panel>
  );
}
