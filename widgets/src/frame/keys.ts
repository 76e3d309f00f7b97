// Where a workbench hears keys before its views do: alt with a digit, alt ⏎, F6, shift with 1, 2 or 3.
import type { Keys } from "../view";

type Hears = (event: KeyboardEvent) => boolean;
const frames = new WeakMap<HTMLElement, Hears>();

/** Keys pressed in the widget of that root go to `hears` first, which says whether it has acted. */
export function hearKeys(root: HTMLElement, hears: Hears): () => void {
  frames.set(root, hears);
  return () => {
    if (frames.get(root) === hears) frames.delete(root);
  };
}
export const isFramesKey = (event: KeyboardEvent, root: HTMLElement): boolean => frames.get(root)?.(event) ?? false;

/** The digit of a key by its place on the keyboard: with alt or shift it writes another character. */
export const digitOf = ({ code }: KeyboardEvent): number | null => {
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1];
  return digit === undefined ? null : Number(digit);
};

/** The frame's own keys, as the list of keys says them. */
export const frameKeys = (numbered: readonly string[]): readonly Keys[] => [
  { keys: "⇧1 ⇧2 ⇧3", what: "arrangement: step, author, debug" },
  { keys: `alt 1 – ${numbered.length}`, what: `pane or tab: ${numbered.join(", ")}; again: the next tab of its pane` },
  { keys: "alt ⏎", what: "maximise the pane, and restore it" },
  { keys: "F6", what: "the next pane; with shift, the one before" },
  { keys: "⇧N", what: "notes: about the selection, and all others" },
  { keys: "⇧P", what: "presenter mode, and back: large type, answers covered" },
  { keys: ". ,", what: "for presenters: reveal the next pane; cover the step again; esc leaves" },
  { keys: "⇧F10 del", what: "on a tab: its menu (move, maximise, close); close it" },
  { keys: "arrows ⏎", what: "on a splitter: move it by 16 pixels; collapse a pane, and open it" },
];
