import { isAllowed } from "../../bulk";
import { visible } from "../../text";
import { defineView, focus, press } from "../../view";
import style from "./style.css";
import { WhyCard } from "./view";

export const whyCard = defineView({
  name: "why_card",
  title: "Why",
  component: WhyCard,
  says: ({ link, selection, step }) => {
    const token = selection.value.token ?? step.value?.token_id ?? null;
    if (token === null) return "no token is selected";
    const listed = step.value?.top.find(([id]) => id === token);
    const code = link.bulk.value.get(step.value?.index ?? -1)?.provenance[token] ?? listed?.[4];
    const name = visible(listed?.[1] ?? link.vocabulary.value?.text(token) ?? `token ${token}`);
    return code === null || code === undefined
      ? name
      : `${name} is ${isAllowed(code) ? "" : "not "}allowed at step ${step.value?.index}`;
  },
  style,
  keys: [
    { keys: "w", what: "why: any token id, text or /bytes/", on: ["w"], act: focus },
    { keys: "i", what: "paste the token ids of a failed request", on: ["i"], act: press },
    { keys: "← →", what: "in the byte walk: step the bytes" },
  ],
});
