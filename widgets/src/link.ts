// A session's line to its kernel: the trace kept in step with Python's, push by push, and whole when a push was missed.
//
// Kernel -> page: pushes by message, the traits `trace` and `bulk` for a reload or a replay. Page -> kernel: messages only.
import { batch, type Signal, signal } from "@preact/signals";
import { type Bulk, bulkOf, readReplay } from "./bulk";
import { greets, type Line } from "./greeting";
import { gunzip } from "./gzip";
import { page } from "./page";
import { bytesOf, Channel } from "./rpc";
import type { SessionHandle } from "./runtime_api";
import { begin, during, settlesWith } from "./settled";
import { afterPaint, answered, soon } from "./timing";
import { applyPush, sharing } from "./trace";
import { Vocabulary } from "./vocabulary";
import type {
  BulkHeader,
  HelloReply,
  RuntimeRequests,
  SessionRequests,
  Status,
  Trace,
  TracePush,
  WireError,
} from "./wire";

/** What comes with pushes as long as a view that shows it is in sight: the newest mask, figures of the whole trace. */
export type Watched = "bulk" | "figures";
const BULK_BYTES_KEPT = 48 << 20;
/** The kernel forgets what a page watches after 512 pushes: a page that crashed says nothing. */
const PUSHES_BETWEEN_WATCHES = 128;

export class Link {
  readonly trace: Signal<Trace | null> = signal(null);
  readonly status: Signal<Status> = signal("idle");
  /** of the run that is on: tokens taken, and how many at most */
  readonly run: Signal<[taken: number, most: number] | null> = signal(null);
  readonly error: Signal<WireError | null> = signal(null);
  readonly line: Signal<Line> = signal("unknown");
  readonly vocabulary: Signal<Vocabulary | null> = signal(null);
  /** masks by step; the signal is replaced when one arrives */
  readonly bulk: Signal<ReadonlyMap<number, Bulk>> = signal(new Map());
  readonly channel: Channel<SessionRequests>;
  /** greets the kernel now */
  readonly hello: () => Promise<void>;
  sessionId = "";
  #seq = -1;
  /** views in sight, by what they show */
  readonly #views = { bulk: 0, figures: 0 };
  #watched = ""; // what the kernel was told of them
  #watchedAt = 0;
  #drawn = -1; // the push that the kernel knows to be drawn
  #isLeft = false; // the reader closed the page or went to another, and may come back to it
  readonly #came: [TracePush, DataView[]][] = [];
  #isDrawing = false;
  #unpacking = 0; // whole traces that came and are not shown yet: later pushes wait for them
  readonly #asked = new Set<number>();
  #loading: Promise<void>;

  constructor(
    readonly handle: SessionHandle,
    readonly runtime: Channel<RuntimeRequests>,
  ) {
    const { model, signal: life } = handle;
    this.channel = Channel.of(model, life);
    const { channel, line } = this;
    const push = (content: Record<string, unknown>, buffers: DataView[]) => {
      if (content.kind === "trace") this.#take(content as unknown as TracePush, buffers);
    };
    channel.pushes.add(push);
    life.addEventListener("abort", () => channel.pushes.delete(push));
    this.hello = greets({
      model,
      life,
      channel,
      line,
      call: (timeoutMs) => channel.call("hello", {}, timeoutMs),
      greeted: ({ content }) => this.#greeted(content),
    });
    const isLive = () => line.peek() === "live";
    settlesWith({ model, life, isLive, seq: () => this.#seq, ask: (asked) => channel.call("settle", asked) });
    for (const [type, isLeft] of [
      ["pagehide", true],
      ["pageshow", false],
    ] as const) {
      const told = () => {
        this.#isLeft = isLeft;
        this.#tellWatched();
      };
      window.addEventListener(type, told, { signal: life });
    }
    this.#loading = during(
      "a session",
      this.#fromTraits().then(() => this.hello()),
    );
  }

  async #fromTraits(): Promise<void> {
    const { model } = this.handle;
    const [saved, seq] = [model.get("trace"), model.get("seq")]; // together: both change while the trace is unpacked
    if (saved) this.#whole(await gunzip(bytesOf(saved).slice()), seq);
    const bulk = model.get("bulk");
    if (bulk) {
      const replay = readReplay(await gunzip(bytesOf(bulk).slice()));
      if (this.bulk.value.size === 0) this.bulk.value = replay.bulk;
      this.vocabulary.value ??= replay.vocabulary;
    }
  }

  #whole(json: Uint8Array, seq: number): void {
    if (seq < this.#seq) return;
    this.#seq = seq;
    const trace = JSON.parse(new TextDecoder().decode(json)) as Trace;
    sharing(trace.steps);
    this.trace.value = trace;
  }

  /** What a saved notebook keeps of the session, if the tokens before a step are in it those that are shown. */
  async replayUntil(step: number): Promise<Trace | null> {
    const saved = this.handle.model.get("trace");
    if (!saved) return null;
    const replay = JSON.parse(new TextDecoder().decode(await gunzip(bytesOf(saved).slice()))) as Trace;
    const shown = this.trace.peek()?.steps.slice(0, step) ?? [];
    return shown.every(({ token_id }, k) => replay.steps[k]?.token_id === token_id) ? replay : null;
  }

  /** There is a kernel: is our trace its trace? */
  async #greeted(hello: HelloReply): Promise<void> {
    this.sessionId = hello.session_id;
    batch(() => {
      this.line.value = "live";
      this.status.value = hello.state.status;
      this.error.value = hello.state.error;
    });
    this.#takeAll();
    if (hello.state.seq !== this.#seq) await this.#refresh();
    this.#watched = "";
    this.#tellWatched();
    await this.#loadVocabulary(hello.vocabulary_key);
  }

  async #refresh(): Promise<void> {
    const { content, buffers } = await this.channel.call("trace");
    this.#asked.clear();
    this.#unpacking++;
    try {
      const json = await gunzip(bytesOf(buffers[0] as DataView).slice());
      batch(() => {
        this.bulk.value = new Map();
        this.#seq = -1;
        this.#whole(json, content.state.seq);
        this.status.value = content.state.status;
        this.error.value = content.state.error;
      });
    } finally {
      this.#unpacking--;
    }
    this.#takeAll();
  }

  /** A run can push faster than a page draws: what comes while a frame is made is shown together after it, so nobody watches the past. */
  #take(push: TracePush, buffers: DataView[]): void {
    this.#came.push([push, buffers]);
    if (!this.#isDrawing || document.hidden) this.#takeAll();
  }

  #takeAll(): void {
    if (this.#came.length === 0 || this.#unpacking > 0) return;
    batch(() => {
      for (const [push, buffers] of this.#came.splice(0)) this.#receive(push, buffers);
    });
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    const end = begin("a frame");
    // pushes that came during the frame are tasks that wait; drawn one by one they would come a frame each
    const again = () => {
      this.#isDrawing = false;
      this.#tellDrawn();
      this.#takeAll();
      end();
    };
    afterPaint(() => soon(again));
  }

  /** During a run the kernel waits with the next push until this one is drawn. */
  #tellDrawn(): void {
    if (this.run.peek() === null || this.line.peek() !== "live" || this.#drawn === this.#seq) return;
    this.#drawn = this.#seq;
    this.channel.call("shown", { seq: this.#seq }).catch(() => {}); // the kernel goes on without it
  }

  #receive(push: TracePush, buffers: DataView[]): void {
    if (push.seq <= this.#seq) return;
    if (push.seq !== this.#seq + 1 && !push.reset) {
      const missed = this.#loading.then(() => (push.seq > this.#seq ? this.#refresh() : undefined));
      // The kernel did not answer. When the kernel sends its next message, the page asks for the missed pushes.
      this.#loading = during("a missed push", missed).catch(() => {
        if (this.line.peek() !== "closed") this.line.value = "offline";
      });
      return;
    }
    batch(() => {
      this.#seq = push.seq;
      if (push.seq - this.#watchedAt >= PUSHES_BETWEEN_WATCHES) this.#watched = "";
      this.#tellWatched();
      const kept = push.reset ? 0 : push.keep_steps;
      if (
        push.reset ||
        push.steps.length > 0 ||
        push.figures ||
        push.annotations ||
        kept < (this.trace.peek()?.steps.length ?? 0)
      ) {
        this.trace.value = applyPush(this.trace.peek(), push);
        this.#dropBulk(kept);
        answered("step");
      }
      this.status.value = push.status;
      this.run.value = push.run ?? null;
      this.error.value = push.error;
      if (push.bulk && buffers.length === 2) this.#keepBulk(push.bulk, buffers);
    });
  }

  #dropBulk(keep: number): void {
    for (const step of this.#asked) if (step >= keep) this.#asked.delete(step);
    if ([...this.bulk.peek().keys()].some((step) => step >= keep)) {
      this.bulk.value = new Map([...this.bulk.peek()].filter(([step]) => step < keep));
    }
  }

  #keepBulk(header: BulkHeader, buffers: DataView[]): void {
    const own = (view: DataView | undefined) => bytesOf(view as DataView).slice();
    const next = new Map(this.bulk.peek()).set(header.step, bulkOf(own(buffers[0]), own(buffers[1]), header.mass));
    let kept = [...next.values()].reduce((n, b) => n + 2 * b.provenance.length, 0);
    for (const [step, old] of next) {
      if (kept <= BULK_BYTES_KEPT) break;
      next.delete(step);
      this.#asked.delete(step);
      kept -= 2 * old.provenance.length;
    }
    this.bulk.value = next;
  }

  /** A view that shows masks needs this one. */
  needBulk(step: number): void {
    if (this.line.peek() !== "live" || this.bulk.peek().has(step) || this.#asked.has(step)) return;
    this.#asked.add(step);
    this.channel.call("bulk", { step }).then(
      ({ content, buffers }) => this.#keepBulk(content, buffers),
      () => this.#asked.delete(step),
    );
  }

  /** A view that shows masks or figures is in sight; call what is returned when it is hidden or gone. */
  watch(what: Watched): () => void {
    const count = (by: 1 | -1) => {
      this.#views[what] += by;
      this.#tellWatched();
    };
    count(1);
    return () => count(-1);
  }

  /**
   * The page tells the kernel what its views show: when the first view of a kind comes or the last one
   * goes, when the reader leaves the page, and again every 128 pushes.
   */
  #tellWatched(): void {
    const { bulk, figures } = this.#isLeft ? { bulk: 0, figures: 0 } : this.#views;
    const wanted = { bulk: bulk > 0, figures: figures > 0 };
    const now = `${wanted.bulk} ${wanted.figures}`;
    if (this.line.peek() !== "live" || now === (this.#watched || "false false")) return;
    this.#watched = now;
    this.#watchedAt = this.#seq;
    this.channel.call("watch", wanted).then(
      ({ content: { figures } }) => {
        this.#takeAll(); // what was pushed before
        const trace = this.trace.peek();
        if (trace && figures) this.trace.value = { ...trace, figures };
      },
      () => {
        this.#watched = "";
      },
    );
  }

  async #loadVocabulary(key: string): Promise<void> {
    const shared = page().vocabularies;
    let loading = shared.get(key);
    if (!loading) {
      loading = this.channel.call("vocabulary", {}, 30_000).then(({ buffers }) => {
        const [blob, offsets, order] = buffers as [DataView, DataView, DataView];
        return Vocabulary.fromBuffers(blob, offsets, order);
      });
      shared.set(key, loading);
      loading.catch(() => shared.delete(key));
    }
    this.vocabulary.value = await loading;
  }
}
