// Request and reply over custom messages: {kind, id, ...} out, {re: id, ...} back; anything else that arrives is a push.
//
// One listener a model, taken off by the model's own signal. Replies reach every page of a kernel, so ids carry a tag that only
// this page has.
import type { AnyModel } from "@anywidget/types";
import { during } from "./settled";
import type { WireError } from "./wire";

/** By kind, what a widget is asked and what it replies: `SessionRequests`, `PadRequests` or `RuntimeRequests`. */
type RequestsOf<R> = { [K in keyof R]: [request: object, reply: object] };
type Asked<R extends RequestsOf<R>, K extends keyof R> = R[K][0];
/** A request without a field that it must have may be left out. */
type Body<A> = [object] extends [A] ? [body?: A, timeoutMs?: number] : [body: A, timeoutMs?: number];
export interface Reply<Content> {
  content: Content;
  buffers: DataView[];
}
type Push = (content: Record<string, unknown>, buffers: DataView[]) => void;
interface Waiting {
  resolve: (reply: Reply<never>) => void;
  reject: (error: Error) => void;
}

/** A typed refusal from Python. */
export class KernelError extends Error {
  constructor(
    readonly type: string,
    message: string,
    readonly hint = "",
  ) {
    super(message);
  }
}
export class OfflineError extends Error {}

/** The bytes of a buffer as it came: a window is honoured, nothing is copied. */
export const bytesOf = (view: DataView): Uint8Array<ArrayBuffer> =>
  new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);

// biome-ignore lint/suspicious/noExplicitAny: a channel serves models of every shape, and the model's type is invariant
type Model = AnyModel<any>;
const channels = new WeakMap<object, unknown>();

export class Channel<R extends RequestsOf<R>> {
  readonly pushes = new Set<Push>();
  /** told of a reply that nobody waits for any more: the kernel answers, only later than a request waits */
  readonly late = new Set<() => void>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #tag = crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36);
  readonly #life: AbortSignal;
  #next = 1;

  private constructor(
    readonly model: Model,
    signal: AbortSignal,
  ) {
    this.#life = signal;
    const receive = (content: Record<string, unknown> | null, buffers: DataView[]) => {
      if (!content) return;
      if (content.re === undefined) {
        for (const push of this.pushes) push(content, buffers);
        return;
      }
      const waiting = this.#waiting.get(content.re as string);
      if (!waiting) {
        if (String(content.re).startsWith(`${this.#tag}:`)) for (const tell of this.late) tell();
        return;
      }
      this.#waiting.delete(content.re as string);
      const refusal = content.error as WireError | undefined;
      if (refusal) waiting.reject(new KernelError(refusal.type, refusal.message, refusal.hint));
      else waiting.resolve({ content: content as never, buffers });
    };
    model.on("msg:custom", receive);
    signal.addEventListener("abort", () => {
      model.off("msg:custom", receive);
      for (const waiting of this.#waiting.values()) waiting.reject(new OfflineError("the session is closed"));
      this.#waiting.clear();
    });
  }

  /** The model's channel. Which requests its widget answers is known to the caller alone. */
  static of<R extends RequestsOf<R>>(model: Model, signal: AbortSignal): Channel<R> {
    const channel = (channels.get(model) as Channel<R> | undefined) ?? new Channel<R>(model, signal);
    channels.set(model, channel);
    return channel;
  }

  call<K extends keyof R & string>(kind: K, ...[body, timeoutMs = 10_000]: Body<Asked<R, K>>): Promise<Reply<R[K][1]>> {
    // nobody would take the reply: the listener has gone with the model
    if (this.#life.aborted) return Promise.reject(new OfflineError("the session is closed"));
    const id = `${this.#tag}:${this.#next++}`;
    const replied = new Promise<Reply<R[K][1]>>((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(id);
        reject(new OfflineError("the kernel does not answer"));
      };
      const timer = setTimeout(late, timeoutMs);
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          then(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.model.send({ kind, id, ...body });
    });
    return during(`request ${kind}`, replied);
  }
}
