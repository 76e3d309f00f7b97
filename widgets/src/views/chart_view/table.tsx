// The chart's column under the cursor as a table; and the other ways of an item, in words.

import { Table } from "../../parts/table";
import { plural } from "../../text";
import { stateName } from "../../trace";
import type { PanelProps } from "../../view";
import type { ChartItem, Trace } from "../../wire";
import { choose } from "./choose";
import { type At, waysSaid } from "./derivation/layout";
import type { ShownItem } from "./layout/chart";
import { doneText, dotOf, waysOf } from "./layout/text";
import { OPS } from "./parts";
import { engineOf, selectionIn } from "./written";

export interface ChartTableProps extends PanelProps {
  trace: Trace;
  column: number;
  only: ReadonlySet<number> | null;
}
export function ChartTable({ store, trace, column, only }: ChartTableProps) {
  const { states, rules } = trace.program;
  const all = trace.chart.columns[column] ?? [];
  const rows = all.flatMap((item, index) => {
    const rule = states[item[0]]?.rule ?? 0;
    return only && !only.has(rule) ? [] : [{ item, index, rule }];
  });
  const live = engineOf(trace) ? [] : (store.step.value?.live ?? []);
  const selected = selectionIn(store, trace).item;
  const done = ([state, origin]: ChartItem) => live.find((i) => i.state === state && i.origin === origin)?.done;
  const several = all.some((_, index) => waysOf(trace, `${column}:${index}`));
  return (
    <Table
      label={`Items of column ${column}`}
      caption={
        <>
          {only ? `${rows.length} of the ${all.length} ` : ""}items of column {column}
          {only ? "; the rules of the others are hidden" : ""}
        </>
      }
      heads={["made by", "rule", "item", "state", "#from byte", "source", ...(several ? ["also"] : [])]}
    >
      {rows.map(({ item, index, rule }) => {
        const state = states[item[0]];
        const shown: ShownItem = { key: "", state: item[0], rule, origin: item[1], op: item[2], at: [column, index] };
        const on = selected?.join(":") === `${column}:${index}`;
        return (
          <tr key={`${item[0]}:${item[1]}`} class={on ? "is-selected" : ""}>
            <td>{OPS[item[2]]?.name}</td>
            <td class="mono">{rules[rule]?.name}</td>
            <th scope="row" class="mono">
              <button type="button" class="plain" onClick={() => choose(store, trace, shown, column)}>
                {state?.before}
                <b class="dot">{dotOf(state)}</b>
                {state?.after}
                {doneText(done(item))}
              </button>
            </th>
            <td class="mono">{stateName(trace.program, item[0])}</td>
            <td class="num">{item[1]}</td>
            <td class="faint">{item[3] >= 0 ? `column ${item[3]}` : ""}</td>
            {several && (
              <td class="mono">
                <Also trace={trace} at={[column, index]} />
              </td>
            )}
          </tr>
        );
      })}
    </Table>
  );
}

/** How else an item was made: its other readings, and how many were not kept. */
function Also({ trace, at }: { trace: Trace; at: At }) {
  if (!waysOf(trace, at.join(":"))) return null;
  const { n, also } = waysSaid(trace, at);
  return (
    <>
      {also.join(", or ")}
      {n > also.length && `, and ${n - also.length} more`}
    </>
  );
}

export interface ChartWaysProps extends PanelProps {
  trace: Trace;
  at: At;
}
/** Below the drawing: the ways of the item that is selected or pointed at. */
export function ChartWays({ trace, at }: ChartWaysProps) {
  const row = waysOf(trace, at.join(":"));
  if (!row) return null;
  const rule = trace.program.states[trace.chart.columns[at[0]]?.[at[1]]?.[0] ?? -1]?.rule;
  return (
    <span class="clip" data-also>
      <b class="ways">{plural(1 + (row[2] as number), "way")}</b> to {trace.program.rules[rule ?? -1]?.name}: also as{" "}
      <span class="mono">
        <Also trace={trace} at={at} />
      </span>
    </span>
  );
}
