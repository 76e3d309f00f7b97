import { defineView } from "../../view";
import style from "./style.css";
import { BeamView } from "./view";

export const beamView = defineView({
  name: "beam_view",
  title: "Continuations",
  component: BeamView,
  style,
});
