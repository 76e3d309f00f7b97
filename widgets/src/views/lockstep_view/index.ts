import { defineView } from "../../view";
import style from "./style.css";
import { LockstepView } from "./view";

export const lockstepView = defineView({
  name: "lockstep_view",
  title: "Side by side",
  component: LockstepView,
  style,
  keys: [{ keys: "→ ← space", what: "in the runs side by side: step all, take back, run or pause all" }],
});
