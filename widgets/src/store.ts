// What all views of one session share on a page: its trace, one selection, and what the reader asked for.
//
// A selection is local first: every view of the page shows it in the same frame, and Python is told by a message. Nothing that is
// clicked, hovered or scrubbed waits for the kernel. Never save_changes(): under ipykernel 7.4 its throttle can wait for ever.
import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
import { type Answer, Answers, errorOf, notRecorded, type Refused, type Subject } from "./answers";
import { SelectionHistory } from "./history";
import { Link } from "./link";
import { page } from "./page";
import type { Channel } from "./rpc";
import type { SessionHandle } from "./runtime_api";
import { begin } from "./settled";
import { answered, asked } from "./timing";
import { NOTHING_SELECTED, stepAt } from "./trace";
import type { Explanation, RuntimeRequests, Selection, SessionRequests, SessionTraits, Step } from "./wire";

/** The widget and its panel that a key or the pointer was last used in. */
interface Acted {
  root: HTMLElement;
  panel: Element | null;
}
const QUIET_MS = 80;
type Command = "step" | "back" | "back_to" | "undo_force" | "force" | "run" | "reset" | "resume";
type Asked<K extends Command> = Omit<SessionRequests[K][0], "n_decided">;
/** A command's body; it may be left out if the command needs none. */
type CommandBody<K extends Command> = object extends Asked<K> ? [body?: Asked<K>] : [body: Asked<K>];
const stores = new WeakMap<object, Store>();
export class Store {
  readonly link: Link;
  readonly selection: Signal<Selection>;
  /** typed into the why card: explained in place of the selected token */
  readonly typed: Signal<Subject | null> = signal(null);
  /** one provenance class alone, in every mask of the session */
  readonly solo: Signal<number | null> = signal(null);
  /** masks are held against another: of `beside`, a session by its name ("": the first), or of the step before */
  readonly xor: Signal<boolean> = signal(false);
  readonly beside: Signal<string | null> = signal(null);
  /** the step whose mask is shown while the pointer rests on its chart column */
  readonly preview: Signal<number | null> = signal(null);
  /** the argument of a template that a pad is to show, by its JSON Pointer; how many pads show arguments */
  readonly argument: Signal<{ pointer: string } | null> = signal(null);
  readonly argumentPads: Signal<number> = signal(0);
  /** A pad that shows arguments is there; call what is returned when it goes. */
  showsArguments(): () => void {
    this.argumentPads.value++;
    return () => {
      this.argumentPads.value--;
    };
  }
  readonly helpOpen: Signal<boolean> = signal(false);
  readonly tourOpen: Signal<boolean> = signal(false);
  /** the workbench is shown to a class: see frame/presenting.ts */
  readonly presenting: Signal<boolean> = signal(false);
  readonly history = new SelectionHistory();
  readonly step: ReadonlySignal<Step | null>;
  readonly subject: ReadonlySignal<Subject | null>;
  readonly commandError: Signal<Refused | null> = signal(null);
  /** of the last command, or of the session: told until the next step, selection or escape */
  readonly error: ReadonlySignal<Refused | null>;
  /** where the reader gave the last command; null before the first */
  readonly acted: Signal<Acted | null> = signal(null);
  #at: Acted | null = null;
  readonly #answers: Answers;
  #untold = 0;
  #telling = 0;
  #told = () => {};
  /** what the reader asked for before it was known whether a kernel answers */
  readonly #early: (() => void)[] = [];

  /** what is known of the subject at the step under the cursor, as soon as it is known */
  readonly candidate: ReadonlySignal<Explanation | null>;

  constructor(handle: SessionHandle, runtime: Channel<RuntimeRequests>) {
    const { model, signal: life } = handle;
    this.link = new Link(handle, runtime);
    this.#answers = new Answers(this.link);
    this.selection = signal({ ...NOTHING_SELECTED, ...model.get("selection") });
    this.step = computed(() => stepAt(this.link.trace.value, this.selection.value));
    this.subject = computed(() => {
      if (this.typed.value) return this.typed.value;
      const token = this.selection.value.token ?? this.step.value?.token_id ?? null;
      return token === null ? null : { token };
    });
    this.error = computed(() => this.link.error.value ?? this.commandError.value);
    this.candidate = computed(() => {
      const [step, subject] = [this.step.value, this.subject.value];
      const answer = step && subject ? this.explanation(step, subject).value : null;
      return answer?.state === "ready" ? answer.value : null;
    });
    const follow = () => this.#follow();
    model.on("change:selection", follow);
    const stop = effect(() => {
      this.link.line.value;
      this.link.trace.value;
      this.#answers.forget(this.#newest);
    });
    const stepped = effect(() => {
      this.link.trace.value;
      this.commandError.value = null;
    });
    const remember = effect(() => this.history.note(this.selection.value, this.#newest));
    const begun = effect(() => {
      if (this.link.line.value !== "unknown") untracked(() => this.#early.splice(0).forEach((work) => void work()));
    });
    page().stores++;
    life.addEventListener("abort", () => {
      model.off("change:selection", follow);
      stop();
      stepped();
      remember();
      begun();
      clearTimeout(this.#telling);
      this.#told();
      page().stores--;
    });
  }

  static of(handle: SessionHandle, runtime: Channel<RuntimeRequests>): Store {
    let store = stores.get(handle.model);
    if (!store) {
      store = new Store(handle, runtime);
      stores.set(handle.model, store);
    }
    return store;
  }

  #follow(): void {
    // without a kernel nobody is told: the model changes here, or by the page's address
    if (this.#untold > 0 && this.link.line.peek() !== "offline") return;
    const told = { ...NOTHING_SELECTED, ...this.link.handle.model.get("selection") };
    if (JSON.stringify(told) !== JSON.stringify(this.selection.peek())) this.selection.value = told;
  }

  get #newest(): number {
    return Math.max(0, (this.link.trace.peek()?.steps.length ?? 0) - 1);
  }

  get #decided(): number {
    const last = this.link.trace.peek()?.steps[this.#newest];
    return this.#newest + (last && last.kind !== null ? 1 : 0);
  }

  // ---- selection: here at once, in Python soon -----------------------------------------------------------------------------

  select(parts: Partial<Selection>): void {
    asked("select");
    this.clearError();
    if (parts.token !== undefined) this.typed.value = null;
    this.#answers.askAgain();
    this.selection.value = { ...this.selection.peek(), ...parts };
    this.#tellSoon();
    answered("select");
  }

  /** Who scrubs selects sixty times a second; Python hears where it ended, and no kernel works beside each frame. */
  #tellSoon(): void {
    if (this.#telling === 0) {
      this.#untold++;
      this.#told = begin("a selection");
    }
    clearTimeout(this.#telling);
    this.#telling = setTimeout(() => this.#tellSelection(), QUIET_MS) as unknown as number;
  }

  #tellSelection(): void {
    if (this.#telling === 0) return;
    clearTimeout(this.#telling);
    this.#telling = 0;
    this.tell("selection", this.selection.peek());
    this.#told();
    this.#untold--;
  }

  /** Put the cursor on a step; what was selected at another step goes. The last step is no number but "the newest". */
  goTo(step: number): void {
    const at = Math.max(0, Math.min(step, this.#newest));
    this.select({ ...NOTHING_SELECTED, step: at === this.#newest ? null : at, rule: null });
  }

  /** The selection before this one, or after it when one has gone back. */
  recall(by: -1 | 1): void {
    const selection = this.history.go(by, this.#newest);
    if (selection) this.select(selection);
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
        if (--this.#untold === 0) this.#follow(); // also what Python selected while a layout was on its way
      });
  }

  holdAgainst(what: "mask" | "previous" | "session"): void {
    this.xor.value = what !== "mask";
    this.beside.value = what === "session" ? (this.beside.peek() ?? "") : null;
    this.solo.value = null;
  }

  actsIn(root: HTMLElement, panel: Element | null): void {
    this.#at = { root, panel };
  }
  /** The reader has moved on. */
  clearError(): void {
    this.commandError.value = null;
    this.link.error.value = null;
  }
  #failed(error: Refused): void {
    this.acted.value = this.#at;
    this.commandError.value = error;
  }

  // ---- the engine, by message ----------------------------------------------------------------------------------------------

  readonly canCommand = computed(() => this.link.line.value === "live" && !page().isFollowing);
  get isRunning(): boolean {
    return this.link.status.value === "running";
  }

  /** A view that was just made does not know yet whether a kernel answers: a key that is pressed then counts as soon as it knows. */
  #waits(work: () => void): boolean {
    const waits = this.link.line.peek() === "unknown";
    if (waits) this.#early.push(work);
    return waits;
  }

  command<K extends Command>(kind: K, ...[body]: CommandBody<K>): void {
    if (this.#waits(() => this.command(kind, ...([body] as CommandBody<K>)))) return;
    if (this.link.line.peek() === "offline")
      this.#failed(notRecorded("What would come next", "steps = session.step()", "print(session.text)"));
    if (!this.canCommand.peek()) return;
    asked("step");
    this.acted.value = this.#at;
    this.clearError();
    // a token forced in the past may be blocked: then the cursor stays, else Python clears the selection
    const stays = kind === "force" && this.past !== null;
    const { step, token } = this.selection.peek();
    if (!stays && (step !== null || token !== null)) this.select(NOTHING_SELECTED);
    this.#tellSelection(); // in the order in which the reader did it
    const request: SessionRequests[Command][0] = { ...body, n_decided: this.#decided };
    this.link.channel.call<Command>(kind, request).catch((error: unknown) => {
      this.commandError.value = errorOf(error);
    });
  }

  /** Put this token at the cursor, whatever the model wanted. In the past, what was decided there and later stays as a branch. */
  force(token: number): void {
    const step = this.past;
    this.command("force", step === null ? { token } : { token, step });
  }
  /** What `force` does at the cursor, in words. */
  get forcing(): "force" | "branch and force" {
    return this.past === null ? "force" : "branch and force";
  }

  #refuse(message: string, hint: string): void {
    this.#failed({ type: "SessionError", message, hint });
  }

  /** The newest token, if the user forced it: it can be taken back by `undoForce`. */
  get forced(): Step | null {
    const newest = this.link.trace.value?.steps.findLast((step) => step.kind !== null);
    return newest?.kind === "forced_by_user" ? newest : null;
  }
  undoForce(): void {
    if (this.forced) this.command("undo_force");
    else this.#refuse("The newest token was not forced by the user: no force to undo.", "← takes any token back.");
  }

  /** Go on from the cursor: the later tokens are taken back, and stay as a branch. */
  branchHere(): void {
    const step = this.past;
    if (step !== null) this.command("back_to", { step });
    else this.#refuse("This is the newest step: nothing after it to leave.", "Move the cursor back first: shift ←.");
  }

  /** Pause goes over the runtime's line: the kernel only ever answers there, so it is not held up by a running cell. */
  pause(): void {
    if (this.#waits(() => this.pause())) return;
    this.link.runtime
      .call("pause", { session: this.link.sessionId })
      .catch((error: unknown) => this.#failed(errorOf(error)));
  }

  /** The step in the past that the cursor stands on; null at the newest one, be it chosen by number or not. */
  get past(): number | null {
    const at = this.selection.value.step;
    const last = (this.link.trace.value?.steps.length ?? 1) - 1;
    return at === null || at >= last ? null : at;
  }
  /** At the newest step the engine moves, in the past the cursor; where no kernel is, only the cursor. */
  forward(): void {
    if (this.#waits(() => this.forward())) return;
    if (this.past === null) this.command("step", { n: 1 });
    else this.goTo(this.past + 1);
  }
  backward(): void {
    if (this.#waits(() => this.backward())) return;
    if (this.past === null && this.canCommand.peek()) this.command("back", { n: 1 });
    else this.goTo((this.past ?? this.#newest) - 1);
  }

  /** What is known of a subject at a step, as soon as it is known. */
  explanation(step: Step, subject: Subject): Signal<Answer> {
    return this.#answers.of(step, subject);
  }
}
