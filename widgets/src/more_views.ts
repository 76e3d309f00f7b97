// The chunk of views that not every notebook shows.
import { Audit } from "./views/audit";
import { Compare } from "./views/compare";
import { DistView } from "./views/dist_view";

export const dist_view = DistView;
export const audit = Audit;
export const compare = Compare;
