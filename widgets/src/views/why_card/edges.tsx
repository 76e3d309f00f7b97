// Which edge is missing: the states that could have read the byte that died, and the bytes they have edges for.

import type { Store } from "../../store";
import { hex } from "../../text";
import { fromHex, stateName } from "../../trace";
import type { Explanation, Trace } from "../../wire";
import { selectPlace } from "../chart_view/written";

const MOST_STATES = 3;
const MOST_RANGES = 7;

export function MissingEdges({ store, why, trace }: { store: Store; why: Explanation; trace: Trace }) {
  const missing = why.missing ?? [];
  const { program } = trace;
  if (missing.length === 0) return null;
  const dead = hex(fromHex(why.bytes)[why.died_at ?? 0] ?? 0);
  return (
    <>
      <dt>no edge</dt>
      <dd data-missing>
        {missing.slice(0, MOST_STATES).map(([state, rule, bytes]) => (
          <span key={state} class="missing" title={`${stateName(program, state)} has edges for ${bytes}`}>
            <button
              type="button"
              class="link mono"
              title="Show this state in the FSM"
              data-state={state}
              onClick={() => selectPlace(store, trace, rule, state)}
            >
              {stateName(program, state)}
            </button>{" "}
            has{" "}
            <span class="mono">
              {bytes.split(" ", MOST_RANGES).join(" ")}
              {bytes.split(" ").length > MOST_RANGES && " …"}
            </span>
            , none for <b class="mono bad">{dead}</b>
          </span>
        ))}
        {missing.length > MOST_STATES && <span class="faint">and {missing.length - MOST_STATES} states more</span>}
      </dd>
    </>
  );
}
