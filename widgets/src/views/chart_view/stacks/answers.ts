// The stacks before a step: as the trace has them, and more of them from the kernel where that left some out.
//
// Whoever scrubs or runs asks nothing: only where the cursor rests is a question sent. Without a kernel the trace's share stays.
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { begin } from "../../../settled";
import type { Store } from "../../../store";
import type { StackTree, Step } from "../../../wire";
import { isWhole } from "./layout";

const REST_MS = 150;
const known = new WeakMap<Step, Signal<StackTree | null>>();
const asked = new WeakSet<Step>();

/** What is known of a step's stacks now, null if nothing was recorded; it is asked for more once the cursor rests. */
export function useStacks(store: Store, step: Step): StackTree | null {
  const answer = known.get(step) ?? signal(step.stacks ?? null);
  known.set(step, answer);
  const tree = answer.value;
  const canAsk = store.link.line.value === "live" && store.link.status.value !== "running";
  const wants = canAsk && tree !== null && !isWhole(tree) && !asked.has(step);
  useEffect(() => {
    if (!wants) return;
    const end = begin("a rest");
    const timer = setTimeout(() => {
      end();
      asked.add(step);
      store.link.channel.call("stacks", { step: step.index }).then(
        ({ content }) => {
          answer.value = content.stacks as StackTree;
        },
        () => asked.delete(step), // what the trace has stays; the next time the cursor rests here it is asked again
      );
    }, REST_MS);
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [wants, step, answer, store]);
  return tree;
}
