// The focus of one widget: it stays inside until the reader takes it out.
//
// IDEA  An element that a script focuses was opened from the element that had the focus before: `w` opens the field of Why, a click on
//       "paste ids" its field. When such a field is left, or any element with the focus goes, the focus returns to the opener; if the
//       opener is gone too, to the panel that both stood in; then to the widget's root. The root hears the keys in all three cases.
//
// EXAMPLE
//   candidate, w, text, esc          the candidate has the focus again
//   a click into a field, esc        nothing opened the field: its panel has the focus
//   "back to the run" vanishes       its panel has the focus
//   a click outside the widget       the focus goes there, and no repaint takes it back
const FIELDS = "input, select, textarea";

/** Whether keys that are pressed there write text. */
export const isField = (target: HTMLElement): boolean => target.matches(FIELDS) || target.isContentEditable;

const canTake = (element: HTMLElement): boolean =>
  element.isConnected && !element.matches(":disabled") && element.checkVisibility();

/** Where an element stands, for the time when it is gone: its panel, and the pane of the workbench that the panel is in. */
interface Stand {
  panel: HTMLElement | null;
  pane: HTMLElement | null;
}

class FocusKeeper {
  readonly #root: HTMLElement;
  #held: HTMLElement | null = null;
  #stand: Stand = { panel: null, pane: null };
  /** what a script focused, and what had the focus then */
  readonly #openers = new WeakMap<HTMLElement, WeakRef<HTMLElement>>();
  /** the next element to be focused is one that the reader points at or tabs to */
  #isReaders = false;

  constructor(root: HTMLElement, life: AbortSignal) {
    this.#root = root;
    root.tabIndex = -1;
    const of = { signal: life, capture: true };
    root.addEventListener("focusin", (event) => this.#entered(event.target as HTMLElement), of);
    root.addEventListener("focusout", (event) => this.#went(event), of);
    root.addEventListener("click", () => this.#readers(false), of);
    root.addEventListener("keydown", (event) => this.#readers(event.key === "Tab"), of);
    document.addEventListener("pointerdown", (event) => this.#pointed(event), of);
    const repaints = new MutationObserver(() => this.#repainted());
    repaints.observe(root, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    life.addEventListener("abort", () => repaints.disconnect());
  }

  #readers(are: boolean): void {
    this.#isReaders = are;
  }

  #pointed(event: Event): void {
    const isInside = event.composedPath().includes(this.#root);
    this.#readers(isInside);
    if (!isInside) this.#held = null;
  }

  #entered(element: HTMLElement): void {
    const before = this.#held;
    this.#held = element;
    const panel = element.closest<HTMLElement>(".panel");
    this.#stand = { panel, pane: panel?.closest<HTMLElement>("[data-stack]") ?? null };
    if (this.#isReaders) this.#openers.delete(element);
    else if (before && before !== element && !this.#chain(before).includes(element))
      this.#openers.set(element, new WeakRef(before));
    this.#isReaders = false;
  }

  /** The openers of an element, the nearest first. */
  #chain(element: HTMLElement): HTMLElement[] {
    const chain: HTMLElement[] = [];
    for (let at = this.#openers.get(element)?.deref(); at && !chain.includes(at); at = this.#openers.get(at)?.deref())
      chain.push(at);
    return chain;
  }

  #went({ target, relatedTarget }: FocusEvent): void {
    if (relatedTarget !== null) {
      if (!this.#root.contains(relatedTarget as Node)) this.#held = null;
      return;
    }
    // the browser says no more than that it is gone: the reader left, or the element did, or the window is not in front
    queueMicrotask(() => {
      if (this.#held !== target || !document.hasFocus()) return;
      if (canTake(target as HTMLElement)) this.#held = null;
      else this.giveBack();
    });
  }

  #repainted(): void {
    const held = this.#held;
    if (held && (!held.isConnected || held.matches(":disabled"))) this.giveBack();
  }

  /** Leave the element that has the focus, or had it until it went. */
  giveBack(): void {
    const held = this.#held;
    if (!held || !this.#root.isConnected) return;
    const { panel, pane } = this.#stand;
    const inPane = pane?.querySelector<HTMLElement>(".panel") ?? null;
    const shadow = this.#root.getRootNode() as ShadowRoot;
    // a pane that is gone leaves the focus to its neighbour
    const neighbour = pane && !pane.isConnected ? this.#root.querySelector<HTMLElement>("[data-stack] .panel") : null;
    // a panel that was drawn anew, as the editor's is once its code is there, is the one that the reader went to
    const anew = held.matches(".panel") && inPane?.dataset.panel === held.dataset.panel ? inPane : null;
    for (const next of [anew, ...this.#chain(held), panel, inPane, neighbour, this.#root]) {
      if (!next || next === held || !canTake(next)) continue;
      next.focus({ preventScroll: true });
      if (shadow.activeElement === next) return;
    }
  }
}

const keepers = new WeakMap<HTMLElement, FocusKeeper>();
/** Keep the focus inside the root of a widget, until the life ends. */
export function keepFocus(root: HTMLElement, life: AbortSignal): void {
  keepers.set(root, new FocusKeeper(root, life));
}
/** Give the focus of this widget back to what opened the element that has it. */
export function giveBack(root: HTMLElement): void {
  keepers.get(root)?.giveBack();
}
