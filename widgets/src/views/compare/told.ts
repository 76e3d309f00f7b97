// The reports of two sides that the session's model carries, and what Python offers for B.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Store } from "../../store";
import type { CompareWithReply, SessionTraits } from "../../wire";
import type { Mode } from "./with";

type Reports = Pick<SessionTraits, "compare" | "lockstep">;

/** A report that the session's model carries, followed. */
export function useTold<K extends keyof Reports>(store: Store, name: K): Signal<Reports[K]> {
  const { model } = store.link.handle;
  const found = useSignal<Reports[K]>(model.get(name) ?? null);
  useEffect(() => {
    const follow = () => {
      found.value = model.get(name) ?? null;
    };
    follow();
    model.on(`change:${name}`, follow);
    return () => model.off(`change:${name}`, follow);
  }, [model, name, found]);
  return found;
}

/** What can be chosen for B, asked when the kernel is there, when the session begins again, and when other engines were compared. */
export function useFacts(store: Store, mode: Mode, engines: string): CompareWithReply | null {
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
  }, [live, mode, grammar, engines, facts, store]);
  return facts.value;
}
