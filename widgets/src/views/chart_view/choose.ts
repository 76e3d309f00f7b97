// An item of the chart is selected, with all that it stands for.

import type { Store } from "../../store";
import type { Trace } from "../../wire";
import type { ShownItem } from "./layout/chart";

export const choose = (store: Store, trace: Trace, item: ShownItem, column: number) =>
  store.select({
    item: item.at,
    state: item.state,
    rule: item.rule,
    byte: column,
    mask_entry: trace.program.states[item.state]?.scannable ? item.state : null,
  });
