// What all views of one session share on a page: its trace, one selection, and what the reader asked for.
//
// A selection is local first: every view of the page shows it in the same frame, and Python is told by a message. Nothing that is
// clicked, hovered or scrubbed waits for the kernel. Never save_changes(): under ipykernel 7.4 its throttle can wait for ever.
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { Link } from "./link";
import { page } from "./page";
import { type Channel, KernelError } from "./rpc";
import { answered, asked } from "./timing";
import { NOTHING_SELECTED, stepAt } from "./trace";
import type { Explanation, Selection, SessionHandle, SessionTraits, Step, WireError } from "./wire";

export type Answer =
  | { state: "asking" }
  | { state: "ready"; value: Explanation }
  | { state: "failed"; error: WireError };
/** Something to explain: a token by id, or text or bytes that were typed. */
export type Subject = { token: number } | { text: string } | { bytes: string };

const QUIET_MS = 80;
const stores = new WeakMap<object, Store>();
const errorOf = (error: unknown): WireError =>
  error instanceof KernelError
    ? { type: error.type, message: error.message, hint: error.hint }
    : { type: "OfflineError", message: (error as Error).message };

export class Store {
  readonly link: Link;
  readonly selection: Signal<Selection>;
  /** typed into the why card: explained in place of the selected token */
  readonly typed: Signal<Subject | null> = signal(null);
  /** one provenance class alone, in every mask of the session */
  readonly solo: Signal<number | null> = signal(null);
  readonly xor: Signal<boolean> = signal(false);
  readonly helpOpen: Signal<boolean> = signal(false);
  readonly step: ReadonlySignal<Step | null>;
  readonly subject: ReadonlySignal<Subject | null>;
  readonly commandError: Signal<WireError | null> = signal(null);
  readonly #answers = new Map<string, Signal<Answer>>();
  #untold = 0;
  #telling = 0;

  /** what is known of the subject at the step under the cursor, as soon as it is known */
  readonly candidate: ReadonlySignal<Explanation | null>;

  constructor(handle: SessionHandle, runtime: Channel) {
    const { model, signal: life } = handle;
    this.link = new Link(handle, runtime);
    this.selection = signal({ ...NOTHING_SELECTED, ...model.get("selection") });
    this.step = computed(() => stepAt(this.link.trace.value, this.selection.value));
    this.subject = computed(() => {
      if (this.typed.value) return this.typed.value;
      const token = this.selection.value.token ?? this.step.value?.token_id ?? null;
      return token === null ? null : { token };
    });
    this.candidate = computed(() => {
      const [step, subject] = [this.step.value, this.subject.value];
      const answer = step && subject ? this.explanation(step, subject).value : null;
      return answer?.state === "ready" ? answer.value : null;
    });
    const follow = () => this.#follow();
    model.on("change:selection", follow);
    const stop = effect(() => {
      this.link.trace.value; // answers belong to a history; a step that was taken back has others
      this.#forget();
    });
    page().stores++;
    life.addEventListener("abort", () => {
      model.off("change:selection", follow);
      stop();
      page().stores--;
    });
  }

  static of(handle: SessionHandle, runtime: Channel): Store {
    let store = stores.get(handle.model);
    if (!store) {
      store = new Store(handle, runtime);
      stores.set(handle.model, store);
    }
    return store;
  }

  #follow(): void {
    if (this.#untold === 0) this.selection.value = { ...NOTHING_SELECTED, ...this.link.handle.model.get("selection") };
  }

  #forget(): void {
    const last = (this.link.trace.peek()?.steps.length ?? 0) - 1;
    for (const key of this.#answers.keys()) if (Number(key.split(":", 1)[0]) >= last) this.#answers.delete(key);
  }

  // ---- selection: here at once, in Python soon -----------------------------------------------------------------------------

  select(parts: Partial<Selection>): void {
    asked("select");
    if (parts.token !== undefined) this.typed.value = null;
    this.selection.value = { ...this.selection.peek(), ...parts };
    this.#tellSoon();
    answered("select");
  }

  /** Who scrubs selects sixty times a second; Python hears where it ended, and no kernel works beside each frame. */
  #tellSoon(): void {
    if (this.#telling === 0) this.#untold++;
    clearTimeout(this.#telling);
    this.#telling = setTimeout(() => this.#tellSelection(), QUIET_MS) as unknown as number;
  }

  #tellSelection(): void {
    if (this.#telling === 0) return;
    clearTimeout(this.#telling);
    this.#telling = 0;
    this.tell("selection", this.selection.peek());
    this.#untold--;
  }

  /** Put the cursor on a step; what was selected at another step goes. The last step is no number but "the newest". */
  goTo(step: number): void {
    const n = this.link.trace.peek()?.steps.length ?? 0;
    const at = Math.max(0, Math.min(step, n - 1));
    this.select({ ...NOTHING_SELECTED, step: at === n - 1 ? null : at, rule: null });
  }

  tell<K extends "selection" | "layouts">(key: K, value: SessionTraits[K]): void {
    const { model } = this.link.handle;
    model.set(key, value as never);
    if (this.link.line.peek() === "offline") return;
    this.#untold++;
    this.link.channel
      .call("set", { key, value }, 60_000)
      .catch(() => undefined)
      .finally(() => {
        if (--this.#untold === 0 && key === "selection") this.#follow();
      });
  }

  // ---- the engine, by message ----------------------------------------------------------------------------------------------

  readonly canCommand = computed(() => this.link.line.value === "live");
  get isRunning(): boolean {
    return this.link.status.value === "running";
  }

  command(kind: "step" | "back" | "force" | "run" | "reset", body: object = {}): void {
    if (!this.canCommand.peek()) return;
    asked("step");
    this.commandError.value = null;
    if (this.selection.peek().step !== null || this.selection.peek().token !== null) this.select(NOTHING_SELECTED);
    this.#tellSelection(); // in the order in which the reader did it
    this.link.channel.call(kind, body).catch((error: unknown) => {
      this.commandError.value = errorOf(error);
    });
  }

  /** Put this token next, whatever the model wanted: only at the newest step, because history is not rewritten. */
  force(token: number): void {
    if (this.past === null) this.command("force", { token });
    else {
      const hint = "Go to the newest step with shift →, or take tokens back with ← first.";
      this.commandError.value = { type: "SessionError", message: "Only the newest step can be forced.", hint };
    }
  }

  /** Pause goes over the runtime's line: the kernel only ever answers there, so it is not held up by a running cell. */
  pause(): void {
    this.link.runtime.call("pause", { session: this.link.sessionId }).catch((error: unknown) => {
      this.commandError.value = errorOf(error);
    });
  }

  /** The step in the past that the cursor stands on; null at the newest one, be it chosen by number or not. */
  get past(): number | null {
    const at = this.selection.value.step;
    const last = (this.link.trace.value?.steps.length ?? 1) - 1;
    return at === null || at >= last ? null : at;
  }
  forward(): void {
    if (this.past === null) this.command("step", { n: 1 });
    else this.goTo(this.past + 1);
  }
  backward(): void {
    if (this.past === null) this.command("back", { n: 1 });
    else this.goTo(this.past - 1);
  }

  // ---- explanations: from the trace when they are there, else asked once ---------------------------------------------------

  explanation(step: Step, subject: Subject): Signal<Answer> {
    const key = `${step.index}:${JSON.stringify(subject)}`;
    const known = this.#answers.get(key);
    if (known) return known;
    const recorded = "token" in subject ? step.explain[subject.token] : undefined;
    const answer = signal<Answer>(recorded ? { state: "ready", value: recorded } : { state: "asking" });
    this.#answers.set(key, answer);
    if (!recorded) {
      this.link.channel.call("explain", { step: step.index, ...subject }).then(
        ({ content }) => {
          answer.value = { state: "ready", value: content.explanation as Explanation };
        },
        (error: unknown) => {
          answer.value = { state: "failed", error: errorOf(error) };
          this.#answers.delete(key);
        },
      );
    }
    return answer;
  }
}
