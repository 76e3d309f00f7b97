// The five cards of the tour: what each says of the session as it is, and the deed that each waits for.
//
// EXAMPLE  The first card waits until the model has added a token: `isDone(CARDS[0], {nTokens: 3, …}, {nTokens: 4, …})` is true.
// NOT HERE  how a card is drawn and where it stands (tour.tsx, place.ts).

/** As much of a session as the cards tell of, or wait for. */
export interface Facts {
  /** tokens that were decided */
  nTokens: number;
  vocabSize: number;
  /** tokens that the mask allows at the step under the cursor; null where there is no mask */
  nAllowed: number | null;
  /** the most probable blocked token of that step, readable; null: none is known */
  wanted: string | null;
  /** the selected token, if it is blocked */
  blocked: number | null;
  grammar: string;
}
export interface Card {
  /** the pane that is ringed, as its `data-panel`, and the title of its tab */
  pane: readonly [panel: string, tab: string];
  title: (facts: Facts) => string;
  text: (facts: Facts) => string;
  /** what the reader may do in place of ⏎; null: to read */
  isDone: ((before: Facts, now: Facts) => boolean) | null;
}

const count = (n: number): string => n.toLocaleString("en-US");
const hasStepped = (before: Facts, now: Facts) => now.nTokens > before.nTokens;

export const CARDS: readonly Card[] = [
  {
    pane: ["tape", "Tape"],
    title: () => "Let it write",
    text: () => "Press →. The model adds one token, out of those that the grammar allows.",
    isDone: hasStepped,
  },
  {
    pane: ["mask-lens", "Mask"],
    title: ({ vocabSize, nAllowed }) =>
      nAllowed === null ? "The mask" : `From ${count(vocabSize)} to ${count(nAllowed)}`,
    text: () =>
      "Each square is a token. A grey one would break the grammar, so the model cannot choose it. Press → again: each step has another mask.",
    isDone: hasStepped,
  },
  {
    pane: ["mask-lens", "Mask"],
    title: () => "Ask a grey one",
    text: ({ wanted }) =>
      wanted === null
        ? "Click a grey square."
        : `Click a grey square. Of the blocked tokens the model wanted “${wanted}” most; / searches for a token.`,
    isDone: (before, now) => now.blocked !== null && now.blocked !== before.blocked,
  },
  {
    pane: ["why-card", "Why"],
    title: () => "Read why",
    text: () =>
      "The token breaks at one of its bytes. Here is what was expected there, and the line of the grammar that says so.",
    isDone: null,
  },
  {
    pane: ["grammar-pad", "Grammar"],
    title: () => "Change the grammar",
    text: () => "Edit that line, apply the new grammar, and let the model write again: the masks follow.",
    isDone: (before, now) => now.grammar !== before.grammar,
  },
];
