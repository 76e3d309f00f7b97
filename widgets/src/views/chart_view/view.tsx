// ChartView: the Earley chart round the cursor, one lane a rule, and what the selected token would add to it. With parser="pda" first
// the automaton's stacks (stack_tree.tsx), and the chart of the same text at a click.
//
// In student mode the column under the cursor is filled by hand; that comes in the chunk of further views (exercise.tsx).
//
// Reader sees  items with the dot, how each was made (P predict, S scan, C complete), the live column, the candidate's columns and the
//              one it dies in. Python -> browser: the trace's chart and explanations. Browser -> Python: the selected item, state, byte.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Empty, Panel, Seg, Toggle, useWidth } from "../../parts/small";
import { plural } from "../../text";
import type { PanelProps } from "../../view";
import { ChartTree } from "./derivation/tree";
import { columnAfter, Drawing } from "./drawing";
import { Exercise } from "./exercise/exercise";
import { ChartFilter } from "./filter";
import { GrammarSwitch, useDrawn } from "./grammar";
import { ItemLine } from "./item_line";
import { candidateColumns, foldedPast, gutterOf, outputBytes, placeColumns } from "./layout/chart";
import { OPS } from "./parts";
import { StackTreeView } from "./stacks/tree";
import { ChartTable } from "./table";
import { engineOf, modeOf, selectionIn } from "./written";

const PICTURES = [
  ["stacks", "stacks"],
  ["items", "items"],
  ["tree", "tree"],
] as const;

export const ChartKey = () => (
  <span class="ops">
    {OPS.slice(1).map((op) => (
      <span key={op.letter}>
        <b class={`op ${op.name}`}>{op.letter}</b>
        {op.name}
      </span>
    ))}
  </span>
);

export function ChartView({ store }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  const picked = useSignal<"stacks" | "items" | "tree" | null>(null);
  const only = useSignal<ReadonlySet<number> | null>(null);
  const filtering = useSignal(false);
  const byHand = useSignal(false);
  const mode = modeOf(store);
  const { trace, step } = useDrawn(store, mode.value, width > 0);
  const isWritten = trace !== null && engineOf(trace) !== null;
  const recorded = trace && step && step.byte_begin < trace.chart.columns.length;
  const candidate = store.candidate.value;
  const why = useMemo(
    () => (candidate && isWritten ? { ...candidate, walk: candidate.walk_as_written ?? [] } : candidate),
    [candidate, isWritten],
  );
  const live = recorded ? step.byte_begin : null;
  const past = useMemo(
    () => (trace && live !== null ? foldedPast(trace, live, outputBytes(trace.steps)) : []),
    [trace, live],
  );
  const added = useMemo(() => (live === null ? [] : candidateColumns(live, why)), [live, why]);
  const looked = columnAfter(trace ? selectionIn(store, trace) : store.selection.value);
  const rules = trace?.program.rules;
  const gutter = useMemo(
    () =>
      gutterOf(
        (rules ?? []).map((rule) => rule.name),
        width,
      ),
    [rules, width],
  );
  const columns = useMemo(
    () => (width > 0 ? placeColumns(past, added, width, looked, gutter) : []),
    [past, added, width, looked, gutter],
  );
  const hasStacks = ["pda", "operators"].includes(String(trace?.header.options.parser));
  const student = byHand.value;
  const picture = student ? "" : (picked.value ?? (hasStacks ? "stacks" : "items"));
  const asStacks = picture === "stacks";
  const asItems = picture === "items";
  const tree = asStacks ? step?.stacks : null;
  const n = recorded ? (trace.chart.columns[step.byte_begin]?.length ?? 0) : 0;
  return (
    <Panel
      readout={
        student
          ? "student mode"
          : tree
            ? `${plural(tree.n_stacks, "stack")} on ${plural(tree.n_frames, "frame")}`
            : recorded && `column ${step.byte_begin}, ${plural(n, "item")}`
      }
      tools={
        <>
          {(asItems || student) && <ChartKey />}
          {asItems && recorded && (
            <Toggle on={filtering} title="Which rules are shown">
              {only.value ? `${only.value.size} of ${trace.program.rules.length} rules` : "rules"}
            </Toggle>
          )}
          <Toggle on={byHand} letter="e" title="Student mode: fill the column under the cursor by hand">
            by hand
          </Toggle>
          {!asStacks && <GrammarSwitch store={store} />}
          {!student && (
            <Seg
              label="Picture"
              options={hasStacks ? PICTURES : PICTURES.slice(1)}
              on={picture as "items"}
              pick={(on) => {
                picked.value = on;
              }}
            />
          )}
        </>
      }
      table={table.value}
      onTable={
        asStacks || student
          ? undefined
          : () => {
              table.value = !table.value;
            }
      }
    >
      <div class="body" ref={box}>
        {asStacks && trace && step && <StackTreeView store={store} trace={trace} step={step} width={width} />}
        {student && <Exercise store={store} trace={trace} />}
        {!asStacks && !recorded && !student && (
          <Empty title="No chart here">
            {(isWritten && trace?.as_written?.note) || (trace?.notes[0] ?? "The chart of this step was not recorded.")}
          </Empty>
        )}
        {asItems && recorded && filtering.value && (
          <ChartFilter
            store={store}
            trace={trace}
            column={step.byte_begin}
            here={[...new Set(columns.flatMap((p) => p.column.items.map((item) => item.rule)))]}
            only={only}
            close={() => {
              filtering.value = false;
            }}
          />
        )}
        {picture === "tree" && recorded && (
          <ChartTree store={store} trace={trace} step={step} column={step.byte_begin} table={table.value} />
        )}
        {asItems && recorded && table.value && (
          <ChartTable store={store} trace={trace} column={step.byte_begin} only={only.value} />
        )}
        {asItems && recorded && !table.value && columns.length > 0 && (
          <Drawing
            store={store}
            trace={trace}
            step={step}
            why={why}
            columns={columns}
            width={width}
            only={only.value}
            choose={() => {
              filtering.value = true;
            }}
          />
        )}
        {recorded && (asItems || picture === "tree") && <ItemLine store={store} trace={trace} />}
        {recorded && !isWritten && mode.value === "written" && trace.as_written?.note && (
          <p class="xs faint">The engine's chart is shown: {trace.as_written.note}.</p>
        )}
      </div>
    </Panel>
  );
}
