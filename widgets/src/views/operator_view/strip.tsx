// The output cut by operator, below the columns of the tape; and how much of it was written without a choice of the model.
//
// Reader sees  under each run of tokens the operator that took their first bytes; the same as a table. Python -> browser: the trace's
//              operators. Browser -> Python: step, rule and state of a segment.
import { useMemo } from "preact/hooks";
import { Table } from "../../parts/table";
import { useFigures } from "../../parts/watched";
import type { Store } from "../../store";
import { cut, visible } from "../../text";
import type { PanelProps } from "../../view";
import type { Step, Trace } from "../../wire";
import type { TapeWindow } from "../tape/layout";
import { operatorsOf } from "./layout/operators";
import { type Segment, segmentsOf } from "./layout/segments";
import { pick } from "./pick";

const treeOf = (trace: Trace | null) => {
  const told = trace?.operators;
  return told && "rows" in told ? told : null;
};
const go = (store: Store, trace: Trace, { writer }: Segment, step: number) => {
  const tree = treeOf(trace);
  const one = writer === null || !tree ? undefined : operatorsOf(tree)[writer];
  if (one) pick(store, trace, one, step);
  else store.goTo(step);
};
const stepsText = (first: Step, last: Step) =>
  first === last ? `step ${first.index}` : `steps ${first.index} to ${last.index}`;

function Share({ store }: { store: Store }) {
  const said = useFigures(store)?.share;
  return said ? (
    <p class="xs faint" data-share>
      {said}
    </p>
  ) : null;
}

export interface StripProps extends PanelProps {
  view: TapeWindow;
}
export function OperatorStrip({ store, view }: StripProps) {
  const trace = store.link.trace.value;
  const tree = treeOf(trace);
  if (!trace || !tree) return null;
  const operators = operatorsOf(tree);
  const segments = segmentsOf(trace.steps.slice(view.from, view.to));
  return (
    <div class="operator-strip">
      <div class="segments" style={{ width: `${view.end}px` }}>
        <span class="xs name">operator</span>
        {segments.map((segment) => {
          const { first, last, writer, text: said } = segment;
          const [from, to] = [view.columns[first], view.columns[last]];
          if (!from || !to) return null;
          const width = to.x + to.width - from.x - 2;
          const one = writer === null ? undefined : operators[writer];
          return (
            <button
              key={from.index}
              type="button"
              class={`segment${one ? (one.slot === null ? "" : " slot") : " unknown"}`}
              style={{ left: `${from.x + 1}px`, width: `${width}px` }}
              title={`${said}\n${stepsText(trace.steps[from.index] as Step, trace.steps[to.index] as Step)}`}
              aria-label={`${said}, from step ${from.index}`}
              data-writer={writer ?? undefined}
              onClick={() => go(store, trace, segment, from.index)}
            >
              {said}
            </button>
          );
        })}
      </div>
      <Share store={store} />
    </div>
  );
}

/** All segments of the output, a row each: the table twin of the strip. */
export function OperatorTable({ store }: PanelProps) {
  const trace = store.link.trace.value;
  const tree = treeOf(trace);
  const segments = useMemo(() => segmentsOf(trace?.steps ?? []), [trace]);
  if (!trace || !tree) return null;
  const operators = operatorsOf(tree);
  return (
    <div class="operator-table">
      <Table label="The output by operator" heads={HEADS}>
        {segments.map((segment) => {
          const written = trace.steps.slice(segment.first, segment.last + 1);
          const first = written[0] as Step;
          const one = segment.writer === null ? undefined : operators[segment.writer];
          return (
            <tr key={first.index}>
              <td>
                <button type="button" class="link" onClick={() => go(store, trace, segment, first.index)}>
                  {stepsText(first, written.at(-1) as Step)}
                </button>
              </td>
              <td class="mono">{cut(segment.text, 48)}</td>
              <td class="mono">{one?.slot ? `$${one.slot} ${one.argument ?? ""}` : ""}</td>
              <td class="num">{written.length}</td>
              <td class="num">{written.filter(({ kind }) => kind === "jump_forward").length}</td>
              <td class="tok">{cut(visible(written.map(({ text }) => text).join("")), 48)}</td>
            </tr>
          );
        })}
      </Table>
      <Share store={store} />
    </div>
  );
}
const HEADS = ["steps", "operator", "slot", "#tokens", "#without the model", "text"];
