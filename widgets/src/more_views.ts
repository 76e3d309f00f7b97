// The chunk of views that not every notebook shows. What they share with the bundle is in shared.ts.
import { Audit } from "./views/audit";
import { DistView } from "./views/dist_view";

export default { dist_view: DistView, audit: Audit };
