// Sentences that Python says, too: one file for both.
export { default as words } from "../../xg2lab/widgets/words.json";
