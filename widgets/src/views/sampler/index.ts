import { defineView, press } from "../../view";
import { Sampler } from "../grammar_pad/view";

export const sampler = defineView({
  name: "sampler",
  title: "Sampler",
  component: Sampler,
  keys: [{ keys: "s", what: "in the sampler: other random members", on: ["s"], act: press }],
});
