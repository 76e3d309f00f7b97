// The lost mass of a step by rule: as recorded at once, and in full from the kernel where the cursor rests.
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { begin } from "../../settled";
import type { Store } from "../../store";
import type { LostMass, Step } from "../../wire";

const REST_MS = 120;
const known = new WeakMap<Step, Signal<LostMass | null>>();
const asked = new WeakSet<Step>();

export function useLost(store: Store, step: Step): LostMass | null {
  const answer = known.get(step) ?? signal(step.lost ?? null);
  known.set(step, answer);
  const lost = answer.value;
  const canAsk = store.link.line.value === "live" && store.link.status.value !== "running";
  const wants = canAsk && lost !== null && lost.n_rest > 0 && lost.total > 0 && !asked.has(step);
  useEffect(() => {
    if (!wants) return;
    const end = begin("a rest");
    const timer = setTimeout(() => {
      end();
      asked.add(step);
      store.link.channel.call("lost_mass", { step: step.index }).then(
        ({ content }) => {
          if (content.lost) answer.value = content.lost as LostMass;
        },
        () => asked.delete(step), // what was recorded stays; it is asked again when the cursor next rests here
      );
    }, REST_MS);
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [wants, step, answer, store]);
  return lost;
}
