// Selections of the past, to go back to and forward again: [ and ]. Bounded; pure but for two signals that buttons read.
//
// An entry names its step by number, also where the cursor was "at the newest", so that going back leads to what was seen. Moves of the
// cursor alone that follow each other at once (scrubbing, a key held down) are one entry.
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Selection } from "./wire";

const MOST = 100;
const ONE_MOVE_MS = 400;
const sameAs = (a: Selection, b: Selection): boolean => JSON.stringify(a) === JSON.stringify(b);
const isMove = (s: Selection): boolean => Object.entries(s).every(([part, value]) => part === "step" || value === null);

export class SelectionHistory {
  readonly #entries: Selection[] = [];
  readonly #canGo: [back: Signal<boolean>, forward: Signal<boolean>] = [signal(false), signal(false)];
  #at = -1;
  #lastMove = Number.NEGATIVE_INFINITY;

  readonly canGoBack: ReadonlySignal<boolean> = this.#canGo[0];
  readonly canGoForward: ReadonlySignal<boolean> = this.#canGo[1];

  /** Note what is selected now; `newest` is the number that "no step" means. What had been gone back from is forgotten. */
  note(selection: Selection, newest: number, now = performance.now()): void {
    const entry = { ...selection, step: selection.step ?? newest };
    const last = this.#entries[this.#at];
    if (last && sameAs(last, entry)) return;
    const scrubbed = last && isMove(last) && isMove(entry) && now - this.#lastMove < ONE_MOVE_MS;
    this.#entries.splice(scrubbed ? this.#at : this.#at + 1, Number.POSITIVE_INFINITY, entry);
    if (this.#entries.length > MOST) this.#entries.shift();
    this.#at = this.#entries.length - 1;
    this.#lastMove = isMove(entry) ? now : Number.NEGATIVE_INFINITY;
    this.#tell();
  }

  /** The selection before (-1) or after (1) that can still be shown: steps taken back since are passed over. */
  go(by: -1 | 1, newest: number): Selection | null {
    for (let at = this.#at + by; this.#entries[at]; at += by) {
      const entry = this.#entries[at] as Selection;
      if ((entry.step ?? 0) > newest) continue;
      this.#at = at;
      this.#lastMove = Number.NEGATIVE_INFINITY;
      this.#tell();
      return { ...entry, step: entry.step === newest ? null : entry.step };
    }
    return null;
  }

  #tell(): void {
    this.#canGo[0].value = this.#at > 0;
    this.#canGo[1].value = this.#at < this.#entries.length - 1;
  }
}
