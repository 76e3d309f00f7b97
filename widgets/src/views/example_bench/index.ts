import { defineView } from "../../view";
import { ExampleBench } from "../grammar_pad/view";

export const exampleBench = defineView({
  name: "example_bench",
  title: "Examples",
  component: ExampleBench,
});
