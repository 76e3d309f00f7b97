// A recording of a session and its pad on a page: models that have its traits, as a kernel's widgets would, and nobody who answers.
//
// The exported page (host.ts) and the outputs of a saved notebook (saved.ts) show views of such models. Both are built on their own: the
// bundle is data to them, which they open once.
import { gunzip } from "./gzip";
import type { PadHandle, RuntimeApi, SessionHandle } from "./runtime_api";

// biome-ignore lint/suspicious/noExplicitAny: a model serves traits of every shape
type Any = any;
type Listener = (...values: Any[]) => void;
type Reply = [content: Record<string, unknown>, buffers: DataView[]];
/** What is known of a request to the model with those traits, without a kernel; null: nothing. */
export type Known = (request: Record<string, unknown>, traits: Record<string, unknown>) => Reply | null;

export type Bytes = Uint8Array<ArrayBuffer>;
const viewOf = (bytes: Bytes | null | undefined): DataView | null => (bytes ? new DataView(bytes.buffer) : null);

const refusal = {
  type: "OfflineError",
  message: "this page is a recording: it has no kernel to ask",
  hint: "Run the notebook that made it.",
};

/** As much of anywidget's model as the bundle uses. */
export function model(traits: Record<string, unknown>, known: Known = () => null): Any {
  const listeners = new Map<string, Set<Listener>>();
  const emit = (name: string, ...values: unknown[]) => {
    for (const listener of [...(listeners.get(name) ?? [])]) listener(...values);
  };
  return {
    get: (name: string) => traits[name],
    set: (name: string, value: unknown) => {
      traits[name] = value;
      emit(`change:${name}`);
    },
    on: (name: string, listener: Listener) => {
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
    },
    off: (name: string, listener: Listener) => listeners.get(name)?.delete(listener),
    save_changes: () => undefined,
    send: (request: Record<string, unknown>) =>
      queueMicrotask(() => {
        const [content, buffers] = known(request, traits) ?? [{ error: refusal }, []];
        emit("msg:custom", { re: request.id, ...content }, buffers);
      }),
  };
}

/** What was recorded: the traits of a session and its pad. A pad may stand alone. */
export interface Recorded {
  trace?: Bytes | null;
  bulk?: Bytes | null;
  pad?: Bytes | null;
  /** `selection`, `layouts`, `audit` and other traits that are plain values */
  values: Record<string, unknown>;
}
export interface Recording {
  session: SessionHandle | null;
  pad: PadHandle;
}

/** Models of a recording, alive until the signal ends. */
export function recording(recorded: Recorded, signal: AbortSignal, known?: Known): Recording {
  const trace = viewOf(recorded.trace);
  const nothing = {
    audit: null,
    compare: null,
    lockstep: null,
    diagnosis: null,
    layouts: {},
    stages: {},
    selection: {},
  };
  const traits = { runtime: null, seq: 0, trace, bulk: viewOf(recorded.bulk), ...nothing, ...recorded.values };
  const pad = { replay: viewOf(recorded.pad) };
  return {
    session: trace && ({ model: model(traits, known), signal } as unknown as SessionHandle),
    pad: { model: model(pad, known), signal } as unknown as PadHandle,
  };
}

/** The bundle, unpacked and opened. */
export async function opened(packed: Bytes, signal: AbortSignal, known?: Known): Promise<RuntimeApi> {
  const url = URL.createObjectURL(new Blob([await gunzip(packed)], { type: "text/javascript" }));
  const bundle = (await import(url)).default as { initialize(props: Any): RuntimeApi };
  URL.revokeObjectURL(url);
  return bundle.initialize({ model: model({}, known), signal });
}
