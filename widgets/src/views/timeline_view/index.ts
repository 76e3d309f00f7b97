import { defineView } from "../../view";
import style from "./style.css";
import { TimelineView } from "./view";

export const timelineView = defineView({
  name: "timeline_view",
  title: "Timeline",
  component: TimelineView,
  style,
});
