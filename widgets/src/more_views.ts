// The chunk of views that not every notebook shows.
import { Audit } from "./views/audit";
import { Compare } from "./views/compare";
import { CostTable } from "./views/cost_table";
import { DistView } from "./views/dist_view";

export const dist_view = DistView;
export const audit = Audit;
export const compare = Compare;
export const cost_table = CostTable;
