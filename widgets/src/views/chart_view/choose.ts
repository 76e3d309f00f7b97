// An item of the chart is selected, with all that it stands for.

import type { Store } from "../../store";
import type { Trace } from "../../wire";
import type { ShownItem } from "./layout/chart";
import { selectIn } from "./written";

export const choose = (store: Store, trace: Trace, item: ShownItem, column: number) =>
  selectIn(store, trace, { item: item.at && [...item.at], state: item.state, rule: item.rule, byte: column });
