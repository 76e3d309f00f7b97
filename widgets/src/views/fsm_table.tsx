// The machine of one rule as a table: each state with its item, whether it is live, and where it leads.
import { Table } from "../parts/table";
import type { Store } from "../store";
import { stateName, statesOfRule } from "../trace";
import type { Rule, State, Trace } from "../wire";
import type { Lit } from "./fsm_nodes";

export function choose(store: Store, state: State): void {
  store.select({ rule: state.rule, state: state.id, mask_entry: state.scannable ? state.id : null, item: null });
}

export function FsmTable({ store, trace, rule, lit }: { store: Store; trace: Trace; rule: Rule; lit: Lit }) {
  return (
    <Table label={`States of ${rule.name}`} heads={["state", "item", "live", "accepting", "leads to"]}>
      {statesOfRule(trace.program, rule).map((state) => (
        <tr key={state.id} class={lit.selected === state.id ? "is-selected" : ""}>
          <th scope="row">
            <button type="button" class="link mono" onClick={() => choose(store, state)}>
              {stateName(trace.program, state.id)}
            </button>
          </th>
          <td class="mono clip">
            {state.before} <b class="dot">•</b> {state.after}
          </td>
          <td>{lit.live.get(state.id) ?? ""}</td>
          <td>{state.accepting ? "yes" : ""}</td>
          <td class="mono clip">
            {trace.program.edges
              .filter((e) => e.from === state.id)
              .map((e) => `${e.label} → ${e.to - rule.states[0]}`)
              .join("  ")}
          </td>
        </tr>
      ))}
    </Table>
  );
}
