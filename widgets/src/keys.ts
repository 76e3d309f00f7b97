// Keys of the whole widget: those of every widget stand here, those of a view in its definition. A panel handles its own first (and calls
// preventDefault); text fields keep all but escape.
import { giveBack, isField } from "./focus";
import { isFramesKey } from "./frame/keys";
import type { Store } from "./store";
import { NOTHING_SELECTED } from "./trace";
import type { Keys, View } from "./view";

/** Keys of every widget, whatever views it shows. */
const COMMON: readonly Keys[] = [
  { keys: "→", what: "step; in the past, one step on" },
  { keys: "←", what: "take the last token back; in the past, one step back" },
  { keys: "shift → ←", what: "move the cursor only" },
  { keys: "home end", what: "the first step, the newest" },
  { keys: "space", what: "run, pause" },
  { keys: "r", what: "run to the end of the rule" },
  { keys: "z", what: "run until Z < 0.1; in the distribution: go to the lowest Z" },
  { keys: "⏎", what: "force the selected token; in the past, branch there first" },
  { keys: "u", what: "undo a force, if it was the newest token" },
  { keys: "b", what: "branch here: leave the later tokens as a branch" },
  { keys: "[ ]", what: "selection before, selection after" },
  { keys: "t", what: "the picture as a table, and back" },
  { keys: "↓", what: "on a pane: past its tools, to the first thing in it" },
  { keys: "esc", what: "pause; clear the selection" },
];

/** The list of keys: those of every widget, of each view, and of the frame round them. */
export function keyList(views: readonly View[], frame: readonly Keys[]): readonly Keys[] {
  return [...COMMON, ...frame, ...views.flatMap((view) => view.keys), { keys: "?", what: "this list" }];
}

function act(key: string, shift: boolean, store: Store): boolean {
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
      // what was typed is explained in place of the selected token, and is forced where it is a token
      const token = store.typed.peek() ? store.candidate.peek()?.token_id : store.selection.peek().token;
      if (token == null) return false;
      store.force(token);
      return true;
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
    case "?":
      store.helpOpen.value = !store.helpOpen.peek();
      return true;
    case "Escape":
      if (store.helpOpen.peek()) store.helpOpen.value = false;
      else if (store.isRunning) store.pause();
      else {
        store.solo.value = null;
        store.select(NOTHING_SELECTED);
      }
      return true;
  }
  return false;
}

const REACHED = "button, input, select, textarea, [tabindex='0'], [contenteditable=true]";
/** The focus of a panel goes to the first element below its head that can take it; whether there is one. */
function goIn(panel: HTMLElement): boolean {
  const all = [...panel.querySelectorAll<HTMLElement>(REACHED)];
  const first = all.find((e) => !e.closest(".head") && !e.matches(":disabled, [tabindex='-1']") && e.checkVisibility());
  first?.focus();
  return first !== undefined;
}

/** `⏎` in a field of one line, where no list takes it. */
const isEntered = (event: KeyboardEvent, target: HTMLElement): boolean =>
  event.key === "Enter" &&
  !event.isComposing &&
  target instanceof HTMLInputElement &&
  ["text", "search", "number"].includes(target.type);
let enteredAt: HTMLElement | null = null;
/** What was entered has been taken when the key comes up: the focus returns then. At key down it would be the opener that hears `⏎`. */
export function onKeyUp(event: KeyboardEvent, root: HTMLElement): void {
  if (event.key !== "Enter") return;
  if (enteredAt !== null && event.composedPath()[0] === enteredAt) giveBack(root);
  enteredAt = null;
}

/**
 * Whether a key is the host's: saving, wherever the focus is; outside of text fields its side bar (`ctrl b`) and what it has on `ctrl shift`
 * and a letter, such as the list of commands. All other keys are kept from it: its own would run or delete the cell.
 */
export function isHosts(event: KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return false;
  const key = event.key.toLowerCase();
  if (key === "s") return !event.shiftKey;
  return key.length === 1 && (event.shiftKey || key === "b") && !isField(event.composedPath()[0] as HTMLElement);
}

export function onKey(event: KeyboardEvent, store: Store, root: HTMLElement, views: readonly View[]): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
  if (isFramesKey(event, root)) {
    event.preventDefault();
    return;
  }
  if (event.altKey) return;
  const target = event.composedPath()[0] as HTMLElement;
  if (isField(target)) {
    if (event.key === "Escape" && !target.isContentEditable) giveBack(root);
    else if (isEntered(event, target)) enteredAt = target;
    return;
  }
  // space and enter belong to a focused button
  if (target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
  const { key } = event;
  if (key === "ArrowDown" && target.matches(".panel") && goIn(target)) {
    event.preventDefault();
    return;
  }
  const own = views.flatMap((view) => view.keys).find(({ on }) => on?.includes(key));
  if (own?.act ? own.act(key, store, root) : act(key, event.shiftKey, store)) event.preventDefault();
}
