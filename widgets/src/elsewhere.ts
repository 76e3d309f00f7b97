// Where one view is shown: in its cell, or in another area of the host. The view is in one place at a time: while a tab shows it, its cell
// has a line that says so, and when the tab is closed, the cell shows the view again.
//
// Python asks for an area (`View.open`), and so does the button in a view's head. The browser's tab remembers the last word for each view:
// a reloaded page restores what was open, without taking the focus, and leaves closed what the reader has closed.
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Area, areas } from "./areas";
import { keep, kept } from "./kept";
import type { OpenedIn } from "./wire";

/** What a cell knows of the view that it shows. */
export interface Drawer {
  cell: HTMLElement;
  /** what is drawn: another object is drawn anew where the view is shown */
  subject: object;
  /** the title of a tab, and what tells a view from others of the notebook, as soon as they are known */
  named: Promise<{ title: string; key: string }>;
  isLive(): boolean;
  draw(box: HTMLElement, life: AbortSignal, area: Area): void;
}
interface Shown {
  area: Area;
  box: HTMLElement;
  life: AbortSignal;
  subject: object;
  before: AbortController;
}
/** The last word on a view: the number of Python's last request, and where the view is since. */
type Kept = OpenedIn | { area: null; n: number };

const views = new Map<string, Elsewhere>();
let host: Signal<boolean> | undefined;
/** Whether the host can show views elsewhere. */
export function hasAreas(): ReadonlySignal<boolean> {
  if (!host) {
    const known = signal(areas().host !== null);
    areas().changed.add(() => {
      known.value = areas().host !== null;
    });
    host = known;
  }
  return host;
}

export class Elsewhere {
  /** the area that shows the view; null: its cell does */
  readonly area: Signal<Area | null> = signal(null);
  /** an area was asked for that the host does not have */
  readonly isRefused: Signal<boolean> = signal(false);
  /** the name of the model of the view's session */
  session: string | null = null;
  #drawer: Drawer | null = null;
  #shown: Shown | null = null;
  #asked = 0;
  #waiting: (() => void) | null = null;

  constructor(readonly view: string) {}

  /** The record of that view on this page. */
  static of(view: string): Elsewhere {
    const known = views.get(view) ?? new Elsewhere(view);
    views.set(view, known);
    return known;
  }

  /** A cell shows the view. Python may have asked for an area before. */
  isIn(drawer: Drawer, opened: OpenedIn | null): void {
    this.#drawer = drawer;
    if (this.#shown && this.#shown.subject !== drawer.subject) this.#draw(this.#shown);
    const last = this.#kept();
    this.#asked = Math.max(this.#asked, opened?.n ?? 0, last?.n ?? 0);
    if (opened && opened.n > (last?.n ?? 0)) this.open(opened.area);
    else if (last?.area && !this.area.peek()) this.open(last.area, false);
  }

  /** Python asks while the view is on the page. */
  asks(opened: OpenedIn | null): void {
    if (!opened || opened.n <= this.#asked) return;
    this.#asked = opened.n;
    this.open(opened.area);
  }

  open(area: Area, inFront = true): void {
    if (this.#waiting) areas().changed.delete(this.#waiting);
    this.#waiting = null;
    if (!areas().host) {
      this.isRefused.value = true;
      this.#waiting = () => areas().host && this.open(area, inFront);
      areas().changed.add(this.#waiting);
      return;
    }
    this.isRefused.value = false;
    this.#drawer?.named.then((named) => this.#open(area, inFront, named));
  }

  #open(area: Area, inFront: boolean, named: { title: string; key: string }): void {
    const [drawer, { host }] = [this.#drawer, areas()];
    if (!drawer || !host) return;
    if (this.area.peek() && this.area.peek() !== area) host.close(this.view);
    const { cell, isLive } = drawer;
    const draw = (box: HTMLElement, life: AbortSignal) => this.#isOpened(area, box, life);
    host.open({ view: this.view, ...named, area, cell, inFront, isLive, draw });
  }

  /** The address of a page that follows the session; null: the host serves none. */
  studentPage(): string | null {
    const { host } = areas();
    const { session } = this;
    return this.#drawer && session ? (host?.studentPage?.(this.#drawer.cell, session) ?? null) : null;
  }

  /** The view goes back into its cell. */
  close(): void {
    areas().host?.close(this.view);
  }

  #isOpened(area: Area, box: HTMLElement, life: AbortSignal): void {
    const shown = { area, box, life, subject: {}, before: new AbortController() };
    this.#shown = shown;
    this.area.value = area;
    this.#keep(area);
    life.addEventListener(
      "abort",
      () => {
        if (this.#shown !== shown) return;
        this.#shown = null;
        this.area.value = null;
        this.#keep(null);
      },
      { once: true },
    );
    this.#draw(shown);
  }

  #draw(shown: Shown): void {
    if (!this.#drawer) return;
    shown.before.abort();
    shown.before = new AbortController();
    shown.subject = this.#drawer.subject;
    this.#drawer.draw(shown.box, AbortSignal.any([shown.life, shown.before.signal]), shown.area);
  }

  #kept(): Kept | null {
    const last = kept(`opened/${this.view}`) as Kept | null;
    return last && Number.isInteger(last.n) && [null, "tab", "right"].includes(last.area) ? last : null;
  }

  #keep(area: Area | null): void {
    keep(`opened/${this.view}`, { area, n: this.#asked });
  }
}
