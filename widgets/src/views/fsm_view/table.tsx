// The machine of one rule as a table: each state with its item, whether it is live, and where it leads.
import { useMemo } from "preact/hooks";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { plural } from "../../text";
import { groupBy, stateName, statesOfRule } from "../../trace";
import type { Rule, State, Trace } from "../../wire";
import { selectPlace } from "../chart_view/written";
import { findStates } from "./layout/find";
import { edgeLabels } from "./layout/fsm";
import type { Lit } from "./nodes";

export function choose(store: Store, state: State): void {
  store.select({ rule: state.rule, state: state.id, mask_entry: state.scannable ? state.id : null, item: null });
}

/** more rows than this are not looked through; the search finds the others */
const MOST_ROWS = 200;

interface TableProps {
  store: Store;
  trace: Trace;
  rule: Rule;
  lit: Lit;
  query: string;
}
const isOf = (rule: Rule, state: number): boolean => rule.states[0] <= state && state < rule.states[1];

/** The states as rows: those that were searched for, else all, with those that are live or selected first where all are too many. */
export function FsmTable({ store, trace, rule, lit, query }: TableProps) {
  const { program } = trace;
  const outgoing = useMemo(() => groupBy(program.edges, (edge) => edge.from), [program]);
  const labels = useMemo(() => edgeLabels(program.edges.filter((edge) => isOf(rule, edge.from))), [program, rule]);
  const isLit = (state: State) => lit.live.has(state.id) || lit.selected === state.id;
  const all = query
    ? findStates(program, rule, query).map((id) => program.states[id] as State)
    : statesOfRule(program, rule);
  const few = all.length <= MOST_ROWS;
  const rows = few ? all : [...all.filter(isLit), ...all.filter((state) => !isLit(state))].slice(0, MOST_ROWS);
  return (
    <Table
      label={`States of ${rule.name}`}
      heads={["state", "item", "live", "accepting", "leads to"]}
      more={
        !few && (
          <p class="xs faint">
            {rows.length} of {plural(all.length, "state")}, those that are lit first: search for the others
          </p>
        )
      }
    >
      {rows.map((state) => (
        <tr key={state.id} class={lit.selected === state.id ? "is-selected" : ""}>
          <th scope="row">
            <button type="button" class="link mono" onClick={() => selectPlace(store, trace, state.rule, state.id)}>
              {stateName(trace.program, state.id)}
            </button>
          </th>
          <td class="mono clip">
            {state.before} <b class="dot">•</b> {state.after}
          </td>
          <td>{lit.live.get(state.id) ?? ""}</td>
          <td>{state.accepting ? "yes" : ""}</td>
          <td class="mono clip">
            {(outgoing.get(state.id) ?? [])
              .map((e) => `${labels.get(e) ?? e.label} → ${e.to - rule.states[0]}`)
              .join("  ")}
          </td>
        </tr>
      ))}
    </Table>
  );
}
