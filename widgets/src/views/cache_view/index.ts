import { defineView } from "../../view";
import style from "./style.css";
import { CacheView } from "./view";

export const cacheView = defineView({
  name: "cache_view",
  title: "Cache",
  component: CacheView,
  place: "cost",
  style,
});
