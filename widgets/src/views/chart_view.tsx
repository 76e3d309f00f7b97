// ChartView: the Earley chart round the cursor, one lane a rule, and what the selected token would add to it. With parser="pda" first
// the automaton's stacks (stack_tree.tsx), and the chart of the same text at a click.
//
// In student mode the column under the cursor is filled by hand; that comes in the chunk of further views (exercise.tsx).
//
// Reader sees  items with the dot, how each was made (P predict, S scan, C complete), the live column, the candidate's columns and the
//              one it dies in. Python -> browser: the trace's chart and explanations. Browser -> Python: the selected item, state, byte.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { candidateColumns, foldedPast, gutterOf, outputBytes, placeColumns, type ShownItem } from "../layout/chart";
import { doneText } from "../layout/chart_text";
import type { PanelProps } from "../panels";
import { laterPart } from "../parts/later";
import { Empty, Panel, Seg, useWidth } from "../parts/small";
import { Table } from "../parts/table";
import type { Store } from "../store";
import { plural } from "../text";
import { stateName } from "../trace";
import type { ChartItem, Trace } from "../wire";
import { choose, columnAfter, Drawing } from "./chart_drawing";
import { OPS } from "./chart_parts";
import { StackTreeView } from "./stack_tree";

const PICTURES = [
  ["stacks", "stacks"],
  ["items", "items"],
] as const;

const Exercise = laterPart("exercise");

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

function ChartTable({ store, trace, column }: { store: Store; trace: Trace; column: number }) {
  const items = trace.chart.columns[column] ?? [];
  const live = store.step.value?.live ?? [];
  const done = ([state, origin]: ChartItem) => live.find((i) => i.state === state && i.origin === origin)?.done;
  return (
    <Table
      label={`Items of column ${column}`}
      caption={<>items of column {column}</>}
      heads={["made by", "rule", "item", "state", "#from byte", "source"]}
    >
      {items.map((item, index) => {
        const state = trace.program.states[item[0]];
        const shown: ShownItem = {
          key: "",
          state: item[0],
          rule: state?.rule ?? 0,
          origin: item[1],
          op: item[2],
          at: [column, index],
        };
        const on = store.selection.value.item?.join(":") === `${column}:${index}`;
        return (
          <tr key={`${item[0]}:${item[1]}`} class={on ? "is-selected" : ""}>
            <td>{OPS[item[2]]?.name}</td>
            <td class="mono">{trace.program.rules[state?.rule ?? -1]?.name}</td>
            <th scope="row" class="mono">
              <button type="button" class="plain" onClick={() => choose(store, trace, shown, column)}>
                {state?.before} <b class="dot">•</b> {state?.after}
                {doneText(done(item))}
              </button>
            </th>
            <td class="mono">{stateName(trace.program, item[0])}</td>
            <td class="num">{item[1]}</td>
            <td class="faint">{item[3] >= 0 ? `column ${item[3]}` : ""}</td>
          </tr>
        );
      })}
    </Table>
  );
}

export function ChartView({ store }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  const items = useSignal(false);
  const byHand = useSignal(false);
  const trace = store.link.trace.value;
  const step = store.step.value;
  const recorded = trace && step && step.byte_begin < trace.chart.columns.length;
  const why = store.candidate.value;
  const live = recorded ? step.byte_begin : null;
  const past = useMemo(
    () => (trace && live !== null ? foldedPast(trace, live, outputBytes(trace.steps)) : []),
    [trace, live],
  );
  const added = useMemo(() => (live === null ? [] : candidateColumns(live, why)), [live, why]);
  const looked = columnAfter(store.selection.value);
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
  const hasStacks = trace?.header.options.parser === "pda";
  const student = byHand.value;
  const asStacks = hasStacks && !items.value && !student;
  const tree = asStacks ? step?.stacks : null;
  const n = recorded ? (trace.chart.columns[step.byte_begin]?.length ?? 0) : 0;
  return (
    <Panel
      name="chart-view"
      title="Chart"
      readout={
        student
          ? "student mode"
          : tree
            ? `${plural(tree.n_stacks, "stack")} on ${plural(tree.n_frames, "frame")}`
            : recorded && `column ${step.byte_begin}, ${plural(n, "item")}`
      }
      tools={
        <>
          {!asStacks && <ChartKey />}
          <button
            type="button"
            class="ghost"
            aria-pressed={student}
            data-key="e"
            title="Student mode: fill the column under the cursor by hand (e)"
            onClick={(event) => {
              // what has the focus in there is gone: keys go on from the panel
              if (student) event.currentTarget.closest<HTMLElement>(".panel")?.focus({ preventScroll: true });
              byHand.value = !student;
            }}
          >
            by hand
          </button>
          {hasStacks && !student && (
            <Seg
              label="Picture"
              options={PICTURES}
              on={asStacks ? "stacks" : "items"}
              pick={(on) => {
                items.value = on === "items";
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
        {asStacks && step && <StackTreeView store={store} trace={trace} step={step} width={width} />}
        {student && <Exercise store={store} />}
        {!asStacks && !recorded && !student && (
          <Empty title="No chart here">{trace?.notes[0] ?? "The chart of this step was not recorded."}</Empty>
        )}
        {!asStacks && recorded && !student && table.value && (
          <ChartTable store={store} trace={trace} column={step.byte_begin} />
        )}
        {!asStacks && recorded && !student && !table.value && columns.length > 0 && (
          <Drawing store={store} trace={trace} step={step} why={why} columns={columns} width={width} />
        )}
      </div>
    </Panel>
  );
}
