// What the session's model carries of a comparison, and what Python offers for B.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Store } from "../../store";
import type { CompareReport, CompareWithReply, WireError } from "../../wire";
import type { Mode } from "./with";

type Told = CompareReport | { error: WireError } | null;

/** The report that the session's model carries, followed. */
export function useTold(store: Store): Signal<Told> {
  const { model } = store.link.handle;
  const found = useSignal<Told>(model.get("compare") ?? null);
  useEffect(() => {
    const follow = () => {
      found.value = model.get("compare");
    };
    follow();
    model.on("change:compare", follow);
    return () => model.off("change:compare", follow);
  }, [model, found]);
  return found;
}

/** What can be chosen for B, asked when the kernel is there and when the session begins again. */
export function useFacts(store: Store, mode: Mode): CompareWithReply | null {
  const facts = useSignal<CompareWithReply | null>(null);
  const live = store.canCommand.value;
  const grammar = store.link.trace.value?.header.grammar.text;
  useEffect(() => {
    if (!live) return;
    store.link.channel.call("compare_with").then(
      ({ content }) => {
        facts.value = content;
      },
      () => undefined,
    );
  }, [live, mode, grammar, facts, store]);
  return facts.value;
}
