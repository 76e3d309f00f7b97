// The chunk of views that not every notebook shows.
import { Audit } from "./views/audit";
import { DistView } from "./views/dist_view";
import { Exercise } from "./views/exercise";

export const dist_view = DistView;
export const audit = Audit;
export const exercise = Exercise;
