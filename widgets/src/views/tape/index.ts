import { prob } from "../../text";
import { defineView, focus } from "../../view";
import style from "./style.css";
import { Tape } from "./view";

export const tape = defineView({
  name: "tape",
  title: "Tape",
  component: Tape,
  says: ({ link }) => {
    const steps = link.trace.value?.steps.filter(({ z }) => z !== null) ?? [];
    const [first] = steps;
    if (!first) return "";
    const worst = steps.reduce((least, step) => ((step.z as number) < (least.z as number) ? step : least), first);
    return `lowest Z ${prob(worst.z as number)} at step ${worst.index}`;
  },
  style,
  keys: [{ keys: "g", what: "go to a step", on: ["g"], act: focus }],
});
