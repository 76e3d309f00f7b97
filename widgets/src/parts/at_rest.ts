// What a trace has of a step in part, and the kernel in full: it is asked where the cursor rests, not while it scrubs or a run goes on.
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { begin } from "../settled";
import type { Store } from "../store";
import type { Step } from "../wire";

const REST_MS = 120;

interface Parts<T> {
  /** what the trace has; null if nothing was recorded */
  recorded: (step: Step) => T | null;
  isWhole: (value: T) => boolean;
  /** the whole; null if the kernel does not know it either */
  ask: (store: Store, step: number) => Promise<T | null>;
}

/** A hook: what is known of a step now. Without a kernel the trace's part stays; a question that failed is asked at the next rest. */
export function atRest<T>({ recorded, isWhole, ask }: Parts<T>): (store: Store, step: Step) => T | null {
  const known = new WeakMap<Step, Signal<T | null>>();
  const asked = new WeakSet<Step>();
  return (store, step) => {
    const answer = known.get(step) ?? signal(recorded(step));
    known.set(step, answer);
    const value = answer.value;
    const canAsk = store.link.line.value === "live" && store.link.status.value !== "running";
    const wants = canAsk && value !== null && !isWhole(value) && !asked.has(step);
    useEffect(() => {
      if (!wants) return;
      const end = begin("a rest");
      const timer = setTimeout(() => {
        end();
        asked.add(step);
        ask(store, step.index).then(
          (whole) => {
            answer.value = whole ?? answer.peek();
          },
          () => asked.delete(step),
        );
      }, REST_MS);
      return () => {
        end();
        clearTimeout(timer);
      };
    }, [wants, step, answer, store]);
    return value;
  };
}
