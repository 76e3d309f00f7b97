import { int } from "../../text";
import { type Act, defineView, focus, press } from "../../view";
import { CLASS_KEYS } from "./classes";
import style from "./style.css";
import { MaskLens } from "./view";

/** One class alone, or all again. */
const alone: Act = (key, store) => {
  const at = Number(key) - 1;
  store.solo.value = store.solo.peek() === at ? null : at;
  return true;
};
/** Held against the step before, by shift against another session; the same key again: the mask itself. */
const holdAgainst: Act = (key, store) => {
  const is = !store.xor.peek() ? "mask" : store.beside.peek() === null ? "previous" : "session";
  const want = key === "x" ? "previous" : "session";
  store.holdAgainst(is === want ? "mask" : want);
  return true;
};

export const maskLens = defineView({
  name: "mask_lens",
  title: "Mask",
  component: MaskLens,
  says: ({ link, step }) => {
    const [n, of] = [step.value?.n_allowed, link.trace.value?.header.vocab_size];
    return n === null || n === undefined || of === undefined ? "" : `${int(n)} of ${int(of)} may come`;
  },
  style,
  keys: [
    { keys: "/", what: "search the vocabulary", on: ["/"], act: focus },
    { keys: "c", what: "the mask in two colours, allowed and blocked, and back", on: ["c"], act: press },
    { keys: "1 – 7", what: "one class of the mask alone", on: CLASS_KEYS.map((_, at) => `${at + 1}`), act: alone },
    { keys: "x shift x", what: "XOR with the previous step; with another session", on: ["x", "X"], act: holdAgainst },
    { keys: "shift ← → ↑ ↓", what: "in the mask: brush cells, to list them" },
  ],
});
