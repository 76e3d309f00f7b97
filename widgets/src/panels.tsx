// Names of the views on the wire, and the components that draw them.
import type { ComponentType } from "preact";
import { inSight } from "./parts/in_sight";
import type { Store } from "./store";
import { Audit } from "./views/audit/view";
import { CacheView } from "./views/cache_view/view";
import { ChartView } from "./views/chart_view/view";
import { Compare } from "./views/compare/view";
import { CostTable } from "./views/cost_table/view";
import { DispatchView } from "./views/dispatch_view/view";
import { DistView } from "./views/dist_view/view";
import { FsmView } from "./views/fsm_view/view";
import { ExampleBench, GrammarPad } from "./views/grammar_pad/view";
import { MaskLens } from "./views/mask_lens/view";
import { OperatorView } from "./views/operator_view/view";
import { Tape } from "./views/tape/view";
import { TimelineView } from "./views/timeline_view/view";
import { WhyCard } from "./views/why_card/view";
import { Workbench } from "./views/workbench/view";

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
