// The stacks before a step: as the trace has them, and more of them from the kernel where that left some out.
import { atRest } from "../../../parts/at_rest";
import type { StackTree } from "../../../wire";
import { isWhole } from "./layout";

export const useStacks = atRest<StackTree>({
  recorded: (step) => step.stacks ?? null,
  isWhole,
  ask: async (store, step) => (await store.link.channel.call("stacks", { step })).content.stacks,
});
