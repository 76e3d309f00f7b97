import { defineView, focus, press } from "../../view";
import style from "./style.css";
import { WhyCard } from "./view";

export const whyCard = defineView({
  name: "why_card",
  title: "Why",
  component: WhyCard,
  place: "why",
  style,
  keys: [
    { keys: "w", what: "why: any token id, text or /bytes/", on: ["w"], act: focus },
    { keys: "i", what: "paste the token ids of a failed request", on: ["i"], act: press },
    { keys: "← →", what: "in the byte walk: step the bytes" },
  ],
});
