// The chunk of views that not every notebook shows.
import { Audit } from "./views/audit";
import { ChartFilter } from "./views/chart_filter";
import { ChartTable, ChartWays } from "./views/chart_table";
import { ChartTree } from "./views/chart_tree";
import { Compare } from "./views/compare";
import { CostTable } from "./views/cost_table";
import { DispatchView } from "./views/dispatch_view";
import { DistView } from "./views/dist_view";
import { DonorBeside } from "./views/donor";
import { Exercise } from "./views/exercise";
import { FsmStages } from "./views/fsm_stages";
import { OperatorView } from "./views/operator_view";
import { PastedIds } from "./views/pasted";

export const dispatch_view = DispatchView;
export const dist_view = DistView;
export const audit = Audit;
export const donor = DonorBeside;
export const exercise = Exercise;
export const pasted = PastedIds;
export const compare = Compare;
export const cost_table = CostTable;
export const chart_tree = ChartTree;
export const chart_table = ChartTable;
export const chart_ways = ChartWays;
export const chart_filter = ChartFilter;
export const stages = FsmStages;
export const operator_view = OperatorView;
