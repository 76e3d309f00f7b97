// The lost mass of a step by rule: as recorded at once, and in full from the kernel where the cursor rests.
import { atRest } from "../../parts/at_rest";
import type { LostMass } from "../../wire";

export const useLost = atRest<LostMass>({
  recorded: (step) => step.lost ?? null,
  isWhole: ({ n_rest, total }) => n_rest === 0 || total === 0,
  ask: async (store, step) => (await store.link.channel.call("lost_mass", { step })).content.lost,
});
