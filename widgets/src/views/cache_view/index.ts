import { groupBy } from "../../trace";
import { defineView } from "../../view";
import style from "./style.css";
import { CacheView } from "./view";

export const cacheView = defineView({
  name: "cache_view",
  title: "Cache",
  component: CacheView,
  says: ({ link }) => {
    const counts = groupBy(link.trace.value?.steps ?? [], ({ cache }) => cache ?? "");
    return [...counts].flatMap(([kind, of]) => (kind ? [`${of.length} ${kind.replace("_", " ")}`] : [])).join(", ");
  },
  style,
});
