// A session as a student's page has it: the kernel's models, which are read and never changed. Pure, but for the messages that it sends.
//
// The selection is the teacher's as long as the page follows. A selection of the page's own stays on the page, and ends following; the
// teacher's goes on in the background, and "follow again" takes it. Every request that could change the session is refused here.
import type { Selection } from "../wire";
import type { Traits } from "./line";

type Listener = (...values: never[]) => void;
type Request = Record<string, unknown>;

/** What only reads. `stages`, `beam` and the like are kept in the session's record, so a student's page can't ask for them. */
const READING = new Set([
  "hello",
  "settle",
  "trace",
  "explain",
  "issue",
  "stacks",
  "forest",
  "lost_mass",
  "watch",
  "bulk",
  "vocabulary",
  "donor",
  "asset",
]);
export const REFUSAL = {
  type: "SessionError",
  message: "A student page can't change the session.",
  hint: "Run the notebook in a kernel of your own.",
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A widget of the kernel, as much of it as the views use. */
export class FollowedModel {
  readonly #listeners = new Map<string, Set<Listener>>();
  /** whether the page shows the teacher's selection; told to `changed` */
  isFollowing = true;
  #teachers: unknown;

  constructor(
    readonly traits: Traits,
    readonly ask: (request: Request) => void,
    readonly changed: () => void = () => {},
  ) {
    this.#teachers = traits.selection;
  }
  get(name: string): unknown {
    return this.traits[name];
  }
  set(name: string, value: unknown): void {
    this.traits[name] = value;
    this.emit(`change:${name}`);
  }
  save_changes(): void {}
  on(name: string, listener: Listener): void {
    this.#listeners.set(name, (this.#listeners.get(name) ?? new Set()).add(listener));
  }
  off(name: string, listener: Listener): void {
    this.#listeners.get(name)?.delete(listener);
  }
  emit(name: string, ...values: unknown[]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(...(values as never[]));
  }

  /** The kernel has other values. */
  update(traits: Traits): void {
    const { selection, ...others } = traits;
    Object.assign(this.traits, others);
    for (const name of Object.keys(others)) this.emit(`change:${name}`);
    if (selection === undefined) return;
    this.#teachers = selection;
    if (this.isFollowing) this.set("selection", selection);
  }

  /** Takes the teacher's selection, and each that comes; or stays at the present one. */
  follow(isOn: boolean): void {
    this.isFollowing = isOn;
    if (isOn) this.set("selection", this.#teachers);
    this.changed();
  }

  #reply(request: Request, content: Request): void {
    queueMicrotask(() => this.emit("msg:custom", { re: request.id, ...content }, []));
  }
  send(request: Request): void {
    const { kind } = request;
    if (kind === "set") {
      if (request.key === "selection" && this.isFollowing && !isSame(request.value as Selection, this.#teachers))
        this.follow(false);
      this.#reply(request, {});
    } else if (!READING.has(kind as string)) this.#reply(request, { error: REFUSAL });
    else if (kind === "hello") this.ask({ ...request, follows: true });
    else if (kind === "settle") this.ask({ ...request, replay: false });
    else this.ask(request);
  }
}
