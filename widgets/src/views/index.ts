// All views, one a line. The list of keys and the style sheets have this order; so have views that no arrangement of the workbench
// names (frame/arrangements.ts): they are the last tabs of its dock.
import type { View } from "../view";
import { audit } from "./audit";
import { beamView } from "./beam_view";
import { cacheView } from "./cache_view";
import { chartView } from "./chart_view";
import { compare } from "./compare";
import { costTable } from "./cost_table";
import { dispatchView } from "./dispatch_view";
import { distView } from "./dist_view";
import { exampleBench } from "./example_bench";
import { fsmView } from "./fsm_view";
import { grammarPad, grammarViews } from "./grammar_pad";
import { lockstepView } from "./lockstep_view";
import { maskLens } from "./mask_lens";
import { operatorView } from "./operator_view";
import { sampler } from "./sampler";
import { tape } from "./tape";
import { textView } from "./text_view";
import { timelineView } from "./timeline_view";
import { whyCard } from "./why_card";
import { workbench } from "./workbench";

export const VIEWS: readonly View[] = [
  tape,
  textView,
  maskLens,
  whyCard,
  fsmView,
  chartView,
  cacheView,
  dispatchView,
  timelineView,
  operatorView,
  distView,
  beamView,
  audit,
  costTable,
  compare,
  lockstepView,
  grammarPad,
  grammarViews,
  exampleBench,
  sampler,
  workbench,
];
