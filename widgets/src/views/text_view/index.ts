import { defineView, press } from "../../view";
import style from "./style.css";
import { TextView } from "./view";

export const textView = defineView({
  name: "text_view",
  title: "Text",
  component: TextView,
  says: ({ link }) => `${link.trace.value?.steps.filter(({ kind }) => kind !== null).length ?? 0} tokens`,
  style,
  keys: [
    { keys: "m", what: "edit the prompt, or the last message of the user", on: ["m"], act: press },
    { keys: "a", what: "again, from the start with the same prompt", on: ["a"], act: press },
  ],
});
