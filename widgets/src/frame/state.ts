// The state of one workbench: the arrangement, the layout of each arrangement, the maximised pane, the open rows. The browser remembers
// what the reader changes.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Store } from "../store";
import type { View } from "../view";
import type { Frame as FrameOptions, Selection, Trace } from "../wire";
import {
  ARRANGEMENTS,
  type Arrangement,
  lessonOf,
  made,
  NUMBERED,
  neighboursOf,
  rowsOf,
  type Width,
  widthClass,
} from "./arrangements";
import {
  close,
  isSplit,
  move,
  type Node,
  open,
  pick,
  type Side,
  type Stack,
  stackOf,
  stacksOf,
  viewsOf,
} from "./layout";
import { isSame, keyOf, recall, remember } from "./memory";
import { cutAt, PRESENTED, questionOf } from "./presenting";

/** Which view shows what was selected. */
const EFFECTS: readonly (readonly [keyof Selection, string])[] = [
  ["token", "why_card"],
  ["state", "fsm_view"],
  ["mask_entry", "fsm_view"],
  ["rule", "fsm_view"],
  ["item", "chart_view"],
  ["byte", "chart_view"],
];
export type Menu = { of: string; at: { right: number; top: number } } | { of: null };

export class FrameState {
  readonly arrangement: Signal<Arrangement>;
  readonly size: Signal<{ w: number; h: number }> = signal({ w: 0, h: 0 });
  readonly width: ReadonlySignal<Width>;
  readonly maximised: Signal<string | null> = signal(null);
  /** rows of the accordion that the reader opened or shut, by view */
  readonly rows: Signal<Readonly<Record<string, boolean>>> = signal({});
  /** the open menu: of a view in its pane, or of all panes */
  readonly menu: Signal<Menu | null> = signal(null);
  /** what has the focus once the pane of that view is drawn: in the same turn, so that the next key already means it */
  focusNext: { view: string; part: "tab" | "panel" } | null = null;
  readonly layout: ReadonlySignal<Node>;
  /** what is fixed: of a lesson, or of a presenter */
  readonly lesson: ReadonlySignal<FrameOptions["lesson"]>;
  readonly #asked: Signal<FrameOptions["lesson"]>;
  /** the questions that a presenter has answered */
  readonly revealed: Signal<ReadonlySet<string>> = signal(new Set());
  readonly #layouts: Signal<Readonly<Record<string, Node>>>;
  readonly #names: readonly string[];
  /** views that the reader has left for another tab: no selection brings them back */
  readonly #left = new Set<string>();
  /** the stack in which the reader acted last, until a selection has come of it */
  #actedIn: string | null = null;

  constructor(
    readonly views: readonly View[],
    options: FrameOptions | null,
    readonly presenting: ReadonlySignal<boolean> = signal(false),
  ) {
    this.#names = views.map(({ name }) => name);
    this.#asked = signal(options?.lesson ?? null);
    this.lesson = computed(() => this.#asked.value ?? (presenting.value ? PRESENTED : null));
    const memory = this.isLesson ? { arrangement: null, layouts: {} } : recall(this.#names);
    this.arrangement = signal(options?.arrangement ?? memory.arrangement ?? "step");
    this.#layouts = signal(memory.layouts);
    this.width = computed(() => widthClass(this.size.value.w));
    this.layout = computed(() => this.#layouts.value[this.#key] ?? this.made);
    this.follow(options);
  }

  /** Python has changed what it asks for. */
  follow(options: FrameOptions | null): void {
    const lesson = options?.lesson ?? null;
    this.#asked.value = lesson;
    const fixed = typeof lesson === "string" ? lesson : (options?.arrangement ?? null);
    if (fixed) this.arrange(fixed);
    if (this.isLesson) this.#layouts.value = {};
  }

  /** The panes are fixed: none is closed, moved or added, and nothing is remembered. */
  get isLesson(): boolean {
    return this.lesson.value !== null;
  }
  get #key(): string {
    const key = keyOf(this.arrangement.value, this.width.value);
    return this.presenting.value ? `${PRESENTING}${key}` : key;
  }
  /** the layout before any change */
  get made(): Node {
    const { value: lesson } = this.lesson;
    return Array.isArray(lesson)
      ? lessonOf(lesson, this.width.value)
      : made(this.arrangement.value, this.width.value, this.#names);
  }

  viewOf(name: string): View | undefined {
    return this.views.find((view) => view.name === name);
  }
  titleOf(name: string): string {
    return this.viewOf(name)?.title ?? name;
  }
  /** The view on top of a stack: the one that was picked, or leads for this trace, or is first. */
  onTop({ views, on }: Stack, trace: Trace | null): string {
    const leads = views.find((name) => trace && this.viewOf(name)?.leads(trace));
    return on ?? leads ?? (views[0] as string);
  }
  /** Views that are in no pane. */
  get closed(): readonly View[] {
    const shown = viewsOf(this.layout.value);
    return this.views.filter(({ name }) => !shown.includes(name));
  }

  change(next: Node): void {
    if (isSame(next, this.layout.peek())) return;
    this.#layouts.value = { ...this.#layouts.peek(), [this.#key]: next };
    this.#remember();
  }
  #remember(): void {
    if (this.isLesson) return;
    const own = Object.entries(this.#layouts.peek()).filter(([key]) => !key.startsWith(PRESENTING));
    remember({ arrangement: this.arrangement.peek(), layouts: Object.fromEntries(own) });
  }
  reset(): void {
    const { [this.#key]: _, ...others } = this.#layouts.peek();
    this.#layouts.value = others;
    this.maximised.value = null;
    this.#left.clear();
    this.#remember();
  }
  arrange(arrangement: Arrangement): void {
    if (arrangement === this.arrangement.peek()) return;
    this.arrangement.value = arrangement;
    this.maximised.value = null;
    this.rows.value = {};
    this.#left.clear();
    this.#remember();
  }
  arrangeNumber(digit: number): boolean {
    const arrangement = ARRANGEMENTS[digit - 1];
    if (!arrangement || this.isLesson) return false;
    this.arrange(arrangement);
    return true;
  }

  /** Bring a tab to the front; `isReaders`: the reader has chosen it in place of the one before. */
  pick(view: string, trace: Trace | null, isReaders = true): void {
    const at = stackOf(this.layout.peek(), view);
    if (at) {
      const before = this.onTop(at, trace);
      if (before !== view && isReaders) this.#left.add(before);
      this.#left.delete(view);
      if (this.maximised.peek() && this.maximised.peek() !== view) this.maximised.value = view;
    }
    this.change(pick(this.layout.peek(), view));
  }
  /** Bring a view to the front, wherever it is; false: a lesson does not have it. */
  show(view: string, trace: Trace | null): boolean {
    if (!this.#names.includes(view)) return false;
    if (this.width.peek() === "narrow") {
      if (!this.rowsNow.rows.includes(view)) return false;
      this.rows.value = { ...this.rows.peek(), [view]: true };
      return true;
    }
    const { value: layout } = this.layout;
    if (stackOf(layout, view)) this.pick(view, trace, false);
    else if (this.isLesson) return false;
    else this.change(open(layout, view, neighboursOf(view, this.arrangement.peek(), this.width.peek())));
    if (this.maximised.peek()) this.maximised.value = view;
    return true;
  }
  close(view: string): void {
    if (this.isLesson) return;
    if (this.maximised.peek() === view) this.maximised.value = null;
    this.change(close(this.layout.peek(), view));
  }
  move(view: string, to: string, side: Side): void {
    if (this.isLesson) return;
    this.maximised.value = null;
    this.change(move(this.layout.peek(), view, to, side));
  }
  toggleMaximised(view: string): void {
    this.maximised.value = this.maximised.peek() === null ? view : null;
  }

  // ---- Cause and effect: what was just selected is in sight ------------------------------------------------------------------

  actedIn(stack: string | null): void {
    this.#actedIn = stack;
  }
  /** Bring the tabs to the front that show what has just been selected, but those that the reader left or acts in. */
  reveal(before: Selection, now: Selection, trace: Trace | null): void {
    const acted = this.#actedIn;
    this.#actedIn = null;
    if (this.maximised.peek() !== null || this.width.peek() === "narrow") return;
    let layout = this.layout.peek();
    const shown = new Set<string>();
    for (const [part, view] of EFFECTS) {
      if (now[part] === null || this.#left.has(view) || isSamePart(before[part], now[part])) continue;
      const at = stackOf(layout, view);
      if (!at || at.id === acted || shown.has(at.id)) continue;
      shown.add(at.id); // of two effects in one pane the first stays in front
      if (this.onTop(at, trace) !== view) layout = raise(layout, at.id, view);
    }
    if (layout !== this.layout.peek()) this.#layouts.value = { ...this.#layouts.peek(), [this.#key]: layout };
  }

  // ---- A presenter's covers --------------------------------------------------------------------------------------------------

  #question(view: string, store: Store): string | null {
    const [trace, step] = [store.link.trace.value, store.step.value];
    return this.presenting.value && trace && step ? questionOf(view, trace, step.index, store.subject.value) : null;
  }
  isCovered(view: string, store: Store): boolean {
    const question = this.#question(view, store);
    return question !== null && !this.revealed.value.has(question);
  }
  /** The views in sight that are covered, in the order of reading. */
  coveredNow(store: Store): readonly string[] {
    const trace = store.link.trace.value;
    const whole = this.maximised.value;
    const shown =
      this.width.value === "narrow"
        ? this.rowsNow.rows.filter((row) => this.rowsNow.open.has(row))
        : whole
          ? [whole]
          : stacksOf(this.layout.value).map((one) => this.onTop(one, trace));
    return shown.filter((view) => this.isCovered(view, store));
  }
  /** Show what a view says; without a view, the next one that is covered. Whether there was one. */
  uncover(store: Store, view = this.coveredNow(store)[0]): boolean {
    const question = view === undefined ? null : this.#question(view, store);
    if (question === null) return false;
    this.revealed.value = new Set([...this.revealed.peek(), question]);
    return true;
  }
  /** Cover all that was revealed of this step. */
  cover(store: Store): void {
    const again = new Set(this.#names.map((view) => this.#question(view, store)));
    this.revealed.value = new Set([...this.revealed.peek()].filter((question) => !again.has(question)));
  }
  /** The trace that the panes show. */
  shownTrace(store: Store): Trace | null {
    const [trace, step] = [store.link.trace.value, store.step.value];
    if (!this.presenting.value || !trace || !step) return trace;
    return cutAt(trace, step.index, !this.isCovered("tape", store));
  }

  // ---- The accordion -----------------------------------------------------------------------------------------------------------

  get rowsNow(): { rows: readonly string[]; open: ReadonlySet<string> } {
    const { value: lesson } = this.lesson;
    const { rows, open: first } = Array.isArray(lesson)
      ? { rows: lesson, open: lesson }
      : rowsOf(this.arrangement.value, this.#names);
    const changed = this.rows.value;
    return { rows, open: new Set(rows.filter((row) => changed[row] ?? first.includes(row))) };
  }
  toggleRow(view: string): void {
    this.rows.value = { ...this.rows.peek(), [view]: !this.rowsNow.open.has(view) };
  }

  /** The views that alt with a digit goes to. */
  get numbered(): readonly string[] {
    return NUMBERED.filter((name) => this.#names.includes(name));
  }
  ownOf(view: string): Stack | undefined {
    return stackOf(this.layout.value, view);
  }
  /** The stacks beside that of a view, for its menu. */
  othersOf(view: string): readonly Stack[] {
    return stacksOf(this.layout.value).filter(({ views }) => !views.includes(view));
  }
}

/** Before the key of a presenter's layouts, which are not remembered. */
const PRESENTING = "presenting ";
const isSamePart = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
/** Another view on top of a stack; what is collapsed stays collapsed. */
const raise = (node: Node, id: string, view: string): Node =>
  isSplit(node)
    ? { ...node, parts: node.parts.map((part) => ({ ...part, of: raise(part.of, id, view) })) }
    : node.id === id
      ? { ...node, on: view }
      : node;
