// Names of the views on the wire, and the components that draw them.
import type { ComponentType } from "preact";
import { inSight } from "./parts/in_sight";
import type { Store } from "./store";
import { Audit } from "./views/audit";
import { CacheView } from "./views/cache_view";
import { ChartView } from "./views/chart_view";
import { Compare } from "./views/compare";
import { CostTable } from "./views/cost_table";
import { DispatchView } from "./views/dispatch_view";
import { DistView } from "./views/dist_view";
import { ExampleBench, GrammarPad } from "./views/editor_panel";
import { FsmView } from "./views/fsm_view";
import { MaskLens } from "./views/mask_lens";
import { OperatorView } from "./views/operator_view";
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
  dispatch_view: inSight(DispatchView),
  timeline_view: inSight(TimelineView),
  grammar_pad: inSight(GrammarPad),
  example_bench: inSight(ExampleBench),
  audit: inSight(Audit),
  compare: inSight(Compare),
  cost_table: inSight(CostTable),
  dist_view: inSight(DistView),
  operator_view: inSight(OperatorView),
  workbench: Workbench,
};
