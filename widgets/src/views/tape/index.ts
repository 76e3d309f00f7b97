import { defineView, focus } from "../../view";
import style from "./style.css";
import { Tape } from "./view";

export const tape = defineView({
  name: "tape",
  title: "Tape",
  component: Tape,
  place: "tape",
  style,
  keys: [{ keys: "g", what: "go to a step", on: ["g"], act: focus }],
});
