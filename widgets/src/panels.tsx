// Names of the views on the wire, and the components that draw them.
import type { ComponentType } from "preact";
import { inSight } from "./parts/in_sight";
import { later } from "./parts/later";
import type { Store } from "./store";
import { CacheView } from "./views/cache_view";
import { ChartView } from "./views/chart_view";
import { ExampleBench, GrammarPad } from "./views/editor_panel";
import { FsmView } from "./views/fsm_view";
import { MaskLens } from "./views/mask_lens";
import { Tape } from "./views/tape";
import { TimelineView } from "./views/timeline_view";
import { WhyCard } from "./views/why_card";
import { Workbench } from "./views/workbench";

export interface PanelProps {
  store: Store;
  /** inside the workbench, which carries the transport itself */
  nested?: boolean;
}
export const PANELS: Record<string, ComponentType<PanelProps>> = {
  tape: inSight(Tape),
  mask_lens: inSight(MaskLens),
  why_card: inSight(WhyCard),
  chart_view: inSight(ChartView),
  fsm_view: inSight(FsmView),
  cache_view: inSight(CacheView),
  dispatch_view: inSight(later("dispatch_view", "Dispatch")),
  timeline_view: inSight(TimelineView),
  grammar_pad: inSight(GrammarPad),
  example_bench: inSight(ExampleBench),
  audit: inSight(later("audit", "Audit")),
  compare: inSight(later("compare", "Compare")),
  cost_table: inSight(later("cost_table", "Cost")),
  dist_view: inSight(later("dist_view", "Distribution")),
  operator_view: inSight(later("operator_view", "Operators")),
  workbench: Workbench,
};
