// The exported page: what a notebook does for the views, as far as a recording can. Built on its
// own, as host.js.
//
// The page holds, in script elements: the bundle, the traits of session and pad, the layout
// engine. Models stand for the runtime, the session and its pad; every question that needs a
// kernel is refused at once, so that the views show what was recorded and say what is not.
//
// Python makes pictures of views in such a page too, in a browser without a window:
// `xg2lab_picture` below. That page has the editor, and a pad without a session may be all that it
// shows.
import { gunzip } from "./gzip";
import type { Page } from "./page";
import type { PadHandle, RuntimeApi, SessionHandle } from "./runtime_api";

interface Saved {
  views: string[];
  selection: Record<string, unknown>;
  reports: Record<string, unknown>;
}
// biome-ignore lint/suspicious/noExplicitAny: a model serves traits of every shape
type Any = any;
type Listener = (...values: Any[]) => void;
type Reply = [content: Record<string, unknown>, buffers: DataView[]];

const element = (name: string) => document.getElementById(`xg2lab-${name}`);
const raw = (name: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(element(name)?.textContent?.trim() ?? ""), (c) => c.charCodeAt(0));
const view = (name: string) => (element(name) ? new DataView(raw(name).buffer) : null);

/**
 * Whether the editor is in the page: then it is the page of a picture, where the editor shows what
 * the kernel last said.
 */
const hasEditor = () => element("asset-editor") !== null;

/**
 * What the kernel would have answered: assets are in the page, and what a pad knows; all else is
 * refused.
 */
function answer(request: Record<string, unknown>, traits: Record<string, unknown>): Reply {
  const asset = request.kind === "asset" ? view(`asset-${request.name}`) : null;
  if (asset) return [{ gzip: true }, [asset]];
  if (request.kind === "hello" && traits.replay && hasEditor()) return [{}, [traits.replay as DataView]];
  const message = "this page is a recording: it has no kernel to ask";
  const hint = "Run the notebook that made it.";
  return [{ error: { type: "OfflineError", message, hint } }, []];
}

/** As much of anywidget's model as the bundle uses. */
function model(traits: Record<string, unknown>) {
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
        const [content, buffers] = answer(request, traits);
        emit("msg:custom", { re: request.id, ...content }, buffers);
      }),
  };
}

/** Light, dark, or as the system has it. */
function themes(): void {
  const chosen = element("theme") as HTMLSelectElement;
  const apply = () => {
    if (chosen.value === "system") delete document.body.dataset.jpThemeLight;
    else document.body.dataset.jpThemeLight = String(chosen.value === "light");
    document.documentElement.style.colorScheme = chosen.value === "system" ? "light dark" : chosen.value;
  };
  chosen.addEventListener("change", apply);
  apply();
}

interface AskedPicture {
  theme: string;
  width: number;
  format: "svg" | "png";
  scale: number;
}

async function start(): Promise<(asked: AskedPicture) => Promise<string>> {
  themes();
  const saved = JSON.parse(element("saved")?.textContent ?? "") as Saved;
  const code = new Blob([await gunzip(raw("runtime"))], { type: "text/javascript" });
  const bundle = (await import(URL.createObjectURL(code))).default as { initialize(props: Any): RuntimeApi };
  // the record that the bundle has just opened: a copy of its code here would have signals of its
  // own
  (globalThis as Any)[Symbol.for("xg2lab/page/1")].isRecording = !hasEditor() satisfies Page["isRecording"];
  const signal = new AbortController().signal; // lives as long as the page
  const traits = {
    runtime: null,
    seq: 0,
    trace: view("trace"),
    bulk: view("bulk"),
    selection: saved.selection,
    audit: null,
    compare: null,
    ...saved.reports,
    layouts: {},
  };
  const session = traits.trace && ({ model: model(traits), signal } as unknown as SessionHandle);
  const pad = { model: model({ replay: view("pad") }), signal } as unknown as PadHandle;
  const runtime = bundle.initialize({ model: model({}), signal });
  for (const panel of saved.views) {
    const el = document.createElement("section");
    element("views")?.append(el);
    runtime.mount(panel, session, { model: model({ panel }) as Any, el, signal }, pad);
  }
  return async ({ theme, width, format, scale }) => {
    const chosen = element("theme") as HTMLSelectElement;
    chosen.value = theme;
    chosen.dispatchEvent(new Event("change"));
    const section = element("views")?.firstElementChild as HTMLElement;
    section.style.width = `${width}px`;
    const find = () => section.firstElementChild?.shadowRoot?.querySelector<HTMLElement>(".workbench, .panel");
    return runtime.picture(find, format, scale);
  };
}

const started = start();
Object.assign(globalThis, { xg2lab_picture: async (asked: AskedPicture) => (await started)(asked) });
started.catch((error: Error) => {
  const notice = element("failed") as HTMLElement;
  notice.hidden = false;
  notice.textContent = `This page could not be shown: ${error.message}. It needs a browser of 2023 or later.`;
});
