// CacheView: how each mask was found, what that cost, and which grammar an entry was taken over from.
//
// Reader sees  a lane a hit class over the steps, the time of each fill, entries built and adapted, tokens checked; the entries of the
//              step under the cursor; what the pool held then. Python -> browser: the trace. Browser -> Python: step, rule, state.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Glyph } from "../../parts/glyphs";
import { Empty, Panel, useWidth } from "../../parts/small";
import { StepSlider } from "../../parts/step_slider";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { bytes, int, micros, plural } from "../../text";
import type { PanelProps } from "../../view";
import type { CacheClass, MaskEntry, Step, Trace } from "../../wire";
import { DonorBeside } from "./donor";
import { EntryTable } from "./entries";
import { className, LanesDrawing, rowsOf } from "./lanes";
import {
  CACHE_CLASSES,
  type CacheLanes,
  CLASSES,
  cacheLanes,
  countsByClass,
  donorOf,
  NO_ENTRIES,
  NOT_USED,
  POOL,
  sharesNothing,
  sharingHint,
  stepAtX,
  templateHint,
  WAYS,
  wasWalked,
} from "./layout";

function readout(trace: Trace, counts: Record<CacheClass, number>): string {
  const us = trace.steps.reduce((sum, step) => sum + (step.mask_us ?? 0), 0);
  const built = trace.steps.reduce((sum, step) => sum + (step.cache === "miss" ? (step.mask_us ?? 0) : 0), 0);
  const parts = CACHE_CLASSES.filter((c) => counts[c] > 0).map((c) =>
    plural(counts[c], c.replace("_", " "), c === "miss" ? "misses" : undefined),
  );
  return `${parts.join(", ")}; ${micros(us)} in all, of it in misses ${micros(built)}`;
}

/** The lanes as one control: a click or the arrow keys move the cursor. */
function Lanes({ store, trace, width, cursor }: { store: Store; trace: Trace; width: number; cursor: number }) {
  const { steps } = trace;
  const lanes: CacheLanes = useMemo(() => cacheLanes(steps, width), [steps, width]);
  const counts = useMemo(() => countsByClass(steps), [steps]);
  const step = steps[cursor];
  const said = step?.cache
    ? `step ${cursor}, ${className(step.cache)}, ${micros(step.mask_us ?? 0)}`
    : `step ${cursor}`;
  return (
    <>
      <StepSlider
        store={store}
        n={steps.length}
        cursor={cursor}
        cls="cache-lanes"
        label="Hit classes over the steps"
        text={said}
        at={(x) => stepAtX(lanes, x)}
      >
        <LanesDrawing
          lanes={lanes}
          counts={counts}
          n={steps.length}
          width={width}
          cursor={cursor}
          rows={rowsOf(trace.linked ?? false)}
        />
      </StepSlider>
      {lanes.pooled > 1 && (
        <p class="xs faint">each mark stands for {lanes.pooled} steps and shows the one that was paid for most</p>
      )}
    </>
  );
}

export interface DonorProps extends PanelProps {
  step: Step;
  entry: MaskEntry;
  close: () => void;
}

/** One step's fill in a sentence; its entries below. */
function Fill({ store, trace, step, wide }: { store: Store; trace: Trace; step: Step; wide: boolean }) {
  const opened = useSignal<MaskEntry | null>(null);
  const beside = opened.value && step.entries.includes(opened.value) ? opened.value : null;
  if (step.cache === null)
    return <p class="dim cache-fill">Step {step.index} has no mask: the output had left the grammar.</p>;
  const work = [
    step.n_built === null ? null : `${plural(step.n_built, "entry", "entries")} built`,
    step.n_adapted === null || step.n_adapted === undefined ? null : `${int(step.n_adapted)} adapted`,
    step.n_checked === null ? null : `${plural(step.n_checked, "uncertain token")} checked`,
  ].filter((part) => part !== null);
  return (
    <>
      <p class="cache-fill" data-fill={step.cache}>
        <Glyph shape={step.cache} /> <b>{className(step.cache)}</b> at step <span class="pen">{step.index}</span>
        {step.way && WAYS[step.way] && <> by {WAYS[step.way]}</>}
        {step.mask_us !== null && <> in {micros(step.mask_us)}</>}: {work.join(", ")}
      </p>
      {step.entries.length > 0 && (
        <p class="xs dim" data-class-words>
          {step.cache.replace("_", " ")}: {CLASSES[step.cache]}
        </p>
      )}
      {wasWalked(step) && step.entries.length > 0 && (
        <p class="xs dim" data-not-used>
          {NOT_USED}
        </p>
      )}
      {step.entries.length === 0 ? (
        <p class="dim" data-no-entries>
          {NO_ENTRIES}
        </p>
      ) : (
        <EntryTable
          store={store}
          trace={trace}
          entries={step.entries}
          wide={wide}
          open={(entry) => {
            opened.value = entry;
            store.select({ rule: entry.rule, state: entry.state, mask_entry: entry.state, item: null });
          }}
        />
      )}
      {beside && (
        <DonorBeside
          store={store}
          step={step}
          entry={beside}
          close={() => {
            opened.value = null;
          }}
        />
      )}
    </>
  );
}

/** What the grammars of this tokenizer shared when the step's mask had been made. */
function Pool({ trace, step }: { trace: Trace; step: Step }) {
  const { pool } = step;
  const hint = templateHint(trace) ?? sharingHint(trace);
  if (!pool) {
    const why = sharesNothing(trace.header.options)
      ? "No pool: cross_grammar_cache is off, so this grammar builds all its entries itself."
      : "The pool's contents were not recorded at this step.";
    return <p class="xs faint pool">{why}</p>;
  }
  const facts: [name: string, value: string][] = [
    ["entries", int(pool.n_entries)],
    ["states", int(pool.n_states)],
    ["holds", pool.max_bytes < 0 ? bytes(pool.size_bytes) : `${bytes(pool.size_bytes)} of ${bytes(pool.max_bytes)}`],
    ["perfect hits", int(pool.n_perfect_hits)],
    ["partial hits", int(pool.n_partial_hits)],
    ["misses", int(pool.n_misses)],
    ["evictions", int(pool.n_evictions)],
  ];
  return (
    <section class="pool" aria-label="Pool">
      <h3 class="xs faint">pool of this tokenizer, all grammars, at step {step.index}</h3>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name} title={POOL[name]}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <details class="xs dim">
        <summary>what these figures count</summary>
        <ul>
          {facts.map(([name]) => (
            <li key={name}>
              <b>{name}</b>: {POOL[name]}
            </li>
          ))}
        </ul>
      </details>
      {hint && (
        <p class="xs dim" data-sharing-hint>
          {hint}
        </p>
      )}
    </section>
  );
}

/** The lanes' table twin: a row a step. */
function CacheTable({ store, trace, cursor }: { store: Store; trace: Trace; cursor: number }) {
  const cell = (n: number | null | undefined) => (n === null || n === undefined ? "–" : int(n));
  return (
    <Table
      label="Fills, a row a step"
      heads={["#step", "class", "#fill", "#built", "#adapted", "#checked", "#entries", "donors"]}
    >
      {trace.steps.map((s) => (
        <tr key={s.index} class={s.index === cursor ? "is-selected" : ""}>
          <th scope="row" class="num">
            <button type="button" class="link" onClick={() => store.goTo(s.index)}>
              {s.index}
            </button>
          </th>
          <td>
            {s.cache === null ? (
              "no mask"
            ) : (
              <>
                <Glyph shape={s.cache} /> {className(s.cache)}
              </>
            )}
          </td>
          <td class="num">{s.mask_us === null ? "–" : micros(s.mask_us)}</td>
          <td class="num">{cell(s.n_built)}</td>
          <td class="num">{cell(s.n_adapted)}</td>
          <td class="num">{cell(s.n_checked)}</td>
          <td class="num">{s.entries.length}</td>
          <td class="mono clip">
            {[...new Set(s.entries.map((entry) => donorOf(entry)).filter((donor) => donor !== null))].join(", ")}
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function CacheView({ store }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  const trace = store.link.trace.value;
  const step = store.step.value;
  const said = useMemo(() => trace && readout(trace, countsByClass(trace.steps)), [trace]);
  const hasMasks = trace?.steps.some((s) => s.cache !== null) ?? false;
  return (
    <Panel
      readout={hasMasks ? said : null}
      table={table.value}
      onTable={() => {
        table.value = !table.value;
      }}
    >
      <div class="body" ref={box}>
        {!hasMasks && (
          <Empty title="No mask yet">
            An entry is made when a state is first visited. The first step's mask will be the first mark here.
          </Empty>
        )}
        {trace && step && hasMasks && width > 0 && (
          <>
            {table.value ? (
              <CacheTable store={store} trace={trace} cursor={step.index} />
            ) : (
              <Lanes store={store} trace={trace} width={width} cursor={step.index} />
            )}
            <Fill store={store} trace={trace} step={step} wide={width >= 720} />
            <Pool trace={trace} step={step} />
          </>
        )}
      </div>
    </Panel>
  );
}
