// The search of a machine that is too large to look through: the state with a number, where a text leads, edges by their label.
import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Icon } from "../../parts/glyphs";
import type { Store } from "../../store";
import { int } from "../../text";
import { stateName } from "../../trace";
import type { Rule, Trace } from "../../wire";
import { selectPlace } from "../chart_view/written";
import { findStates } from "./layout/find";

/** from here on a machine has a search: less is seen at a glance */
export const SEARCHED = 60;

interface SearchProps {
  store: Store;
  trace: Trace;
  rule: Rule;
  query: Signal<string>;
}
export function FsmSearch({ store, trace, rule, query }: SearchProps) {
  const at = useSignal(-1);
  const found = useMemo(() => findStates(trace.program, rule, query.value), [trace.program, rule, query.value]);
  const go = (by: number) => {
    if (found.length === 0) return;
    at.value = at.value < 0 && by < 0 ? found.length - 1 : (at.value + by + found.length) % found.length;
    const state = trace.program.states[found[at.value] as number];
    if (state) selectPlace(store, trace, state.rule, state.id);
  };
  const place = at.value >= 0 && found.length > 0 ? stateName(trace.program, found[at.value] as number) : "";
  return (
    <label class="field search fsm-search">
      <Icon name="search" />
      <input
        type="search"
        placeholder="state or text"
        aria-label={`Search ${rule.name}: a state's number, text read from its start, or an edge. Enter goes to the next`}
        data-fsm-search
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          at.value = -1;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
          else {
            if (event.key === "Escape") query.value = "";
            return;
          }
          event.preventDefault();
        }}
      />
      <span class="xs faint" role="status">
        {query.value !== "" && (at.value < 0 ? int(found.length) : `${at.value + 1} of ${int(found.length)}`)}
        <span class="unseen"> {place}</span>
      </span>
    </label>
  );
}
