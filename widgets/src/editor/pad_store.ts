// What all views of one pad share on a page: the text as it is typed, and what the kernel last said of it.
//
// IDEA  Typing waits for nothing. The text goes to the kernel when the reader rests for `REST_MS`; whatever comes back says which
//       text it is about, so a view knows whether it shows the present or the past. A page with nothing unsent takes over what
//       Python, or another page, has written. Some messages must be unpacked first. Each message waits
//       until those before it are applied, so that an older state never replaces a newer one.

import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { begin, bytesOf, Channel, during, greets, gunzip, KernelError, type Line, settlesWith } from "../kit";
import type { PadHandle } from "../runtime_api";
import type {
  BenchRow,
  ExampleRequest,
  Good,
  PadKind,
  PadPush,
  PadRequests,
  PadState,
  PadWhole,
  SamplesReply,
  SamplesRequest,
  WireError,
  WriteRequest,
} from "../wire";
import type { Measure } from "./heat";

export const REST_MS = 120;

const stores = new WeakMap<object, PadStore>();
const json = async (data: DataView) =>
  JSON.parse(new TextDecoder().decode(await gunzip(bytesOf(data).slice() as Uint8Array<ArrayBuffer>)));

export class PadStore {
  readonly text: Signal<string> = signal("");
  /** of a template's arguments, JSON */
  readonly args: Signal<string> = signal("");
  readonly state: Signal<PadState | null> = signal(null);
  readonly good: Signal<Good | null> = signal(null);
  readonly line: Signal<Line> = signal("unknown");
  readonly refusal: Signal<WireError | null> = signal(null);
  /** the rule whose railroad is shown: the one last pointed at, in the text, in the session or in a list */
  readonly rule: Signal<string | null> = signal(null);
  /** what the gutter and the list of rules show of a run */
  readonly measure: Signal<Measure> = signal("time");
  /** whether what is known is about the text as it is */
  readonly isFresh: ReadonlySignal<boolean>;
  readonly isGoodCurrent: ReadonlySignal<boolean>;
  readonly isEditable: ReadonlySignal<boolean>;
  /** members of the last good grammar, as they were saved or drawn last */
  readonly samples: Signal<SamplesReply | null> = signal(null);
  /** where the caret is, in units of the text */
  readonly caret: Signal<number> = signal(0);
  /** what could be undone in the editor that was on screen last, for the next one */
  kept: unknown = null;
  readonly #channel: Channel<PadRequests>;
  #seq = -1;
  #resting = 0;
  #rested = () => {};
  #inFlight = 0;
  /** greets the kernel now */
  readonly #hello: () => Promise<void>;
  #turns: Promise<void> = Promise.resolve();

  private constructor(handle: PadHandle) {
    const { model, signal: life } = handle;
    this.#channel = Channel.of(model, life);
    this.isFresh = computed(() => {
      const state = this.state.value;
      const isOf = state?.text === this.text.value && (!state.arguments || state.arguments.text === this.args.value);
      return isOf && state?.draft_revision === state?.revision;
    });
    this.isGoodCurrent = computed(
      () => this.isFresh.value && this.state.value?.good_revision === this.state.value?.revision,
    );
    this.isEditable = computed(() => this.line.value === "live");
    const channel = this.#channel;
    const push = (content: Record<string, unknown>, buffers: DataView[]) => {
      if (content.kind !== "pad") return;
      void during(
        "a pad's push",
        this.#inTurn(() => this.#receive(content as unknown as PadPush, buffers)),
      );
    };
    channel.pushes.add(push);
    life.addEventListener("abort", () => channel.pushes.delete(push));
    this.#hello = greets({
      model,
      life,
      channel,
      line: this.line,
      call: (timeoutMs) => channel.call("hello", {}, timeoutMs),
      greeted: ({ buffers }) => this.#greeted(buffers[0] as DataView),
    });
    const isLive = () => this.line.peek() === "live";
    settlesWith({ model, life, isLive, seq: () => this.#seq, ask: (asked) => channel.call("settle", asked) });
    const saved = model.get("replay");
    const replayed = saved ? json(saved).then((whole: PadWhole) => this.#whole(whole)) : Promise.resolve();
    void replayed.then(this.#hello);
  }

  static of(handle: PadHandle): PadStore {
    let store = stores.get(handle.model);
    if (!store) {
      store = new PadStore(handle);
      stores.set(handle.model, store);
    }
    return store;
  }

  /** Do what a message asks for after what the messages before it asked for; a failure of one does not stop the others. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turns.then(work);
    this.#turns = done.catch(() => undefined);
    return done;
  }

  // ---- from the kernel -----------------------------------------------------------------------------------------------------

  #greeted(packed: DataView): Promise<void> {
    return this.#inTurn(async () => {
      const whole = (await json(packed)) as PadWhole;
      batch(() => {
        this.line.value = "live";
        this.#seq = -1;
        this.#whole(whole);
      });
    });
  }

  #whole({ seq, state, good, samples }: PadWhole): void {
    if (seq < this.#seq) return;
    batch(() => {
      this.#seq = seq;
      this.state.value = state;
      this.good.value = good;
      if (samples) this.samples.value = samples;
      this.#takeOver();
    });
  }

  async #receive(push: PadPush, buffers: DataView[]): Promise<void> {
    if (push.seq <= this.#seq) return;
    const missed = push.seq !== this.#seq + 1;
    const good = buffers[0] ? ((await json(buffers[0])) as Good) : null;
    batch(() => {
      this.#seq = push.seq;
      if (good && good.revision >= (this.good.peek()?.revision ?? -1)) this.good.value = good;
      this.state.value = push.state;
      this.#takeOver();
    });
    if (missed && push.state.good_revision !== (this.good.peek()?.revision ?? -1)) void this.#hello();
  }

  get #hasUnsent(): boolean {
    return this.#resting !== 0 || this.#inFlight > 0;
  }

  #takeOver(): void {
    const state = this.state.peek();
    if (this.#hasUnsent || !state) return;
    this.text.value = state.text;
    if (state.arguments) this.args.value = state.arguments.text;
  }

  // ---- to the kernel -------------------------------------------------------------------------------------------------------

  /** The text as it is now; sent when the reader rests. */
  type(text: string): void {
    this.#typed(this.text, text);
  }
  typeArguments(text: string): void {
    this.#typed(this.args, text);
  }
  #typed(where: Signal<string>, text: string): void {
    where.value = text;
    clearTimeout(this.#resting);
    this.#rested();
    this.#rested = begin("a text");
    this.#resting = setTimeout(() => this.#send({}), REST_MS) as unknown as number;
  }

  read(as: Pick<WriteRequest, "text_kind" | "on_unsupported">): void {
    this.#send(as);
  }

  #send(how: Partial<WriteRequest>): void {
    this.#rested();
    clearTimeout(this.#resting);
    this.#resting = 0;
    this.#inFlight++;
    const texts = { text: this.text.peek(), ...(this.state.peek()?.arguments && { arguments: this.args.peek() }) };
    const written = this.#ask(this.#channel.call("write", { ...texts, ...how }));
    const taken = written.then(() =>
      this.#inTurn(async () => {
        this.#inFlight--;
        this.#takeOver();
      }),
    );
    void during("a text that was sent", taken);
  }

  cancel(): void {
    void this.#ask(this.#channel.call("cancel"));
  }
  apply(): void {
    void this.#ask(this.#channel.call("apply"));
  }
  example(change: ExampleRequest["change"], body: Omit<ExampleRequest, "change">): void {
    void this.#ask(this.#channel.call("example", { change, ...body }));
  }
  fromSession(): void {
    void this.#ask(this.#channel.call("from_session"));
  }
  async judge(text: string): Promise<BenchRow | null> {
    const reply = await this.#ask(this.#channel.call("judge", { text }));
    return reply?.content.row ?? null;
  }
  async pytest(): Promise<string | null> {
    const reply = await this.#ask(this.#channel.call("pytest"));
    return reply?.content.text ?? null;
  }

  // ---- what the editor asks of the text on screen --------------------------------------------------------------------------

  /** A reply; null without a kernel, and if it has none. Nobody is told: the editor goes on without. */
  async #quietly<T>(ask: () => Promise<{ content: T }>): Promise<T | null> {
    if (this.line.peek() !== "live") return null;
    try {
      return (await ask()).content;
    } catch {
      return null;
    }
  }
  async complete(text: string, text_kind: PadKind, offset: number) {
    const reply = await this.#quietly(() => this.#channel.call("complete", { text, text_kind, offset }));
    return reply?.words ?? null;
  }
  hover(text: string, text_kind: PadKind, offset: number) {
    return this.#quietly(() => this.#channel.call("hover", { text, text_kind, offset }));
  }
  places(text: string, text_kind: PadKind, offset: number) {
    return this.#quietly(() => this.#channel.call("places", { text, text_kind, offset }));
  }
  async rename(text: string, text_kind: PadKind, offset: number, name: string) {
    const reply = await this.#ask(this.#channel.call("rename", { text, text_kind, offset, name }));
    return reply?.content.edits ?? null;
  }
  async layout(text: string, text_kind: PadKind) {
    const reply = await this.#quietly(() => this.#channel.call("layout", { text, text_kind }));
    return reply?.edits ?? null;
  }
  async folds(text: string, text_kind: PadKind) {
    const reply = await this.#quietly(() => this.#channel.call("folds", { text, text_kind }));
    return reply?.folds ?? null;
  }
  /** Other members of the last good grammar. */
  sample(request: SamplesRequest) {
    return this.#quietly(() => this.#channel.call("samples", request));
  }

  /** A reply, or null and the refusal shown. */
  async #ask<T>(reply: Promise<T>): Promise<T | null> {
    try {
      const got = await reply;
      this.refusal.value = null;
      return got;
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof KernelError) this.refusal.value = { type: error.type, message, hint: error.hint };
      else this.line.value = this.line.peek() === "closed" ? "closed" : "offline";
      return null;
    }
  }
}
