// What a reader copies to see a finding again: a few lines of Python.
import type { Disagreement } from "../../wire";

export interface Repro {
  title: string;
  text: string;
}
export const ofToken = (found: Disagreement): Repro => ({
  title: `token ${found.token_id} at step ${found.step}${found.is_small ? "" : ", with the whole vocabulary"}`,
  text: found.repro,
});
