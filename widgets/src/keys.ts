// Keys of the whole widget. A panel handles its own first (and calls preventDefault); text fields keep all but escape.
import {
  ACCEPTED,
  BOTH,
  NEITHER,
  ONLY_A,
  ONLY_B,
  PADDING,
  REJECTED,
  SPECIAL,
  STOP_LEGAL,
  STOP_NOT_LEGAL,
  UNCERTAIN_ACCEPTED,
  UNCERTAIN_REJECTED,
} from "./bulk";
import type { Store } from "./store";
import { NOTHING_SELECTED } from "./trace";

/** Key 1 to 7: the class each stands for; both stops share one row of the legend. */
export const CLASS_KEYS: readonly (readonly number[])[] = [
  [ACCEPTED],
  [UNCERTAIN_ACCEPTED],
  [UNCERTAIN_REJECTED],
  [REJECTED],
  [STOP_LEGAL, STOP_NOT_LEGAL],
  [SPECIAL],
  [PADDING],
];
/** The same in a picture of two masks: A alone, B alone, both, neither. */
export const XOR_KEYS: readonly (readonly number[])[] = [[ONLY_A], [ONLY_B], [BOTH], [NEITHER]];

export const KEY_LIST: readonly [keys: string, what: string][] = [
  ["→", "step; in the past, one step on"],
  ["←", "take the last token back; in the past, one step back"],
  ["shift → ←", "move the cursor only"],
  ["home end", "the first step, the newest"],
  ["space", "run, pause"],
  ["r", "run to the end of the rule"],
  ["z", "run until Z < 0.1; in the distribution: go to the lowest Z"],
  ["g", "go to a step"],
  ["⏎", "force the selected token"],
  ["u", "undo a force, if it was the newest token"],
  ["b", "branch here: leave the later tokens as a branch"],
  ["[ ]", "selection before, selection after"],
  ["← →", "in the byte walk: step the bytes"],
  ["w", "why: any token id, text or /bytes/"],
  ["i", "paste the token ids of a failed request"],
  ["/", "search the vocabulary"],
  ["1 – 7", "one class of the mask alone"],
  ["shift ← → ↑ ↓", "in the mask: brush cells, to list them"],
  ["e", "student mode: fill the chart's column by hand, and back"],
  ["p", "the machine before and after each pass"],
  ["x shift x", "XOR with the previous step; with another session"],
  ["t", "the picture as a table, and back"],
  ["alt 1 – 9", "panel: tape, FSM, chart, cache, mask, why, grammar, examples, distribution; again: its next tab"],
  ["esc", "pause; clear the selection"],
  ["F8 F12 esc tab", "in the editor: next finding, the rule, out of it"],
  ["?", "this list"],
];

const FIELDS = [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement];
const focus = (root: HTMLElement, what: string): boolean => {
  const field = root.querySelector<HTMLInputElement>(`[data-key="${what}"]`);
  field?.focus();
  field?.select?.();
  return field !== null;
};

function act(key: string, shift: boolean, store: Store, root: HTMLElement): boolean {
  const cursor = store.selection.peek().step ?? (store.link.trace.peek()?.steps.length ?? 1) - 1;
  switch (key) {
    case "ArrowRight":
      shift ? store.goTo(cursor + 1) : store.forward();
      return true;
    case "ArrowLeft":
      shift ? store.goTo(cursor - 1) : store.backward();
      return true;
    case "Home":
      store.goTo(0);
      return true;
    case "End":
      store.goTo(Number.POSITIVE_INFINITY);
      return true;
    case " ":
      store.isRunning ? store.pause() : store.command("run");
      return true;
    case "Enter": {
      const token = store.selection.peek().token;
      if (token !== null) store.force(token);
      return token !== null;
    }
    case "r":
      store.command("run", { until: "rule_end" });
      return true;
    case "z":
      store.command("run", { until: ["z", 0.1] });
      return true;
    case "u":
      store.undoForce();
      return true;
    case "b":
      store.branchHere();
      return true;
    case "[":
    case "]":
      store.recall(key === "[" ? -1 : 1);
      return true;
    case "x":
    case "X": {
      const is = !store.xor.peek() ? "mask" : store.beside.peek() === null ? "previous" : "session";
      const want = key === "x" ? "previous" : "session";
      store.holdAgainst(is === want ? "mask" : want);
      return true;
    }
    case "?":
      store.helpOpen.value = !store.helpOpen.peek();
      return true;
    case "e":
    case "p":
    case "i": {
      const button = root.querySelector<HTMLElement>(`[data-key="${key}"]`);
      button?.click();
      return button !== null;
    }
    case "g":
      return focus(root, "g");
    case "w":
      return focus(root, "w");
    case "/":
      return focus(root, "/");
    case "Escape":
      if (store.helpOpen.peek()) store.helpOpen.value = false;
      else if (store.isRunning) store.pause();
      else {
        store.solo.value = null;
        store.commandError.value = null;
        store.select(NOTHING_SELECTED);
      }
      return true;
  }
  const digit = Number(key);
  if (digit >= 1 && digit <= CLASS_KEYS.length) {
    store.solo.value = store.solo.peek() === digit - 1 ? null : digit - 1;
    return true;
  }
  return false;
}

/** alt 1 to alt 9: the panel of that number; from inside it, its next tab. The key's place is asked, since alt changes what it writes on some keyboards. */
function goToPanel(event: KeyboardEvent, root: HTMLElement): void {
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
  const panel = digit && root.querySelector<HTMLElement>(`[data-number="${digit}"] [data-panel]`);
  if (!panel) return;
  event.preventDefault();
  const inside = panel.contains((root.getRootNode() as ShadowRoot).activeElement);
  const tab = inside && panel.querySelector("[role=tab][aria-selected=true]");
  if (tab) {
    const next = tab.nextElementSibling ?? tab.parentElement?.firstElementChild;
    (next as HTMLElement).click();
    return;
  }
  panel.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
}

export function onKey(event: KeyboardEvent, store: Store, root: HTMLElement): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
  if (event.altKey) {
    goToPanel(event, root);
    return;
  }
  const target = event.composedPath()[0] as HTMLElement;
  const typing = FIELDS.some((field) => target instanceof field) || target.isContentEditable;
  if (typing) {
    if (event.key === "Escape" && !target.isContentEditable) target.blur();
    return;
  }
  // space and enter belong to a focused button
  if (target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
  if (act(event.key, event.shiftKey, store, root)) event.preventDefault();
}
