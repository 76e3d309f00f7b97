// A line of the tree, or a segment of the strip, as the shared selection.

import type { Store } from "../../store";
import { NOTHING_SELECTED } from "../../trace";
import type { Selection, Trace } from "../../wire";
import { activeSince, type Operator, placeOf } from "./layout/operators";

/** Selects the operator's place, its step and its argument; returns what is selected then. */
export function pick(store: Store, trace: Trace, one: Operator, cursor: number): Selection {
  const step = activeSince(trace.steps, one, cursor);
  const { rule, state } = placeOf(trace.program, one);
  const isScannable = state !== null && trace.program.states[state]?.scannable;
  const newest = trace.steps.length - 1;
  const at = step ?? cursor;
  store.select({
    ...NOTHING_SELECTED,
    step: at === newest ? null : at,
    rule,
    state,
    mask_entry: isScannable ? state : null,
  });
  if (one.argument !== null && store.argumentPads.value > 0) store.argument.value = { pointer: one.argument };
  return store.selection.peek();
}
