// The exported page: what a notebook does for the views, as far as a recording can. Built on its own, as host.js.
//
// The page holds, in script elements: the bundle, the traits of session and pad, the layout engine. Models stand for the runtime, the
// session and its pad; every question that needs a kernel is refused at once, so that the views show what was recorded and say what is not.
//
// Python makes pictures of views in such a page too, in a browser without a window: `xg2lab_picture` below. That page has the editor, and
// a pad without a session may be all that it shows.
import { copyText } from "./clipboard";
import { fragmentOf, selectionOf } from "./fragment";
import type { Page } from "./page";
import { type Bytes, type Known, model, opened, recording } from "./recording";
import type { SessionHandle } from "./runtime_api";
import { NOTHING_SELECTED } from "./trace";
import type { Selection } from "./wire";

const COPIED_MS = 2000;

interface Saved {
  views: string[];
  selection: Selection;
  reports: Record<string, unknown>;
}

const element = (name: string) => document.getElementById(`xg2lab-${name}`);
/** A compressed part of the page, in base64. */
const part = (name: string): Bytes | null => {
  const text = element(name)?.textContent;
  return text ? Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0)) : null;
};

/** Whether the editor is in the page: then it is the page of a picture, where the editor shows what the kernel last said. */
const hasEditor = () => element("asset-editor") !== null;

/** What the kernel would have answered: assets are in the page, and what a pad knows; all else is refused. */
const known: Known = ({ kind, name }, { replay }) => {
  const asset = kind === "asset" ? part(`asset-${name}`) : null;
  if (asset) return [{ gzip: true }, [new DataView(asset.buffer)]];
  return kind === "hello" && replay && hasEditor() ? [{}, [replay as DataView]] : null;
};

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

/** The address follows the selection and leads to it: another fragment, typed or gone back to, selects what it names. */
function linked({ model }: SessionHandle): void {
  const selected = () => ({ ...NOTHING_SELECTED, ...model.get("selection") });
  const follow = () => {
    const fragment = fragmentOf(selected());
    if (fragment === location.hash.slice(1)) return;
    try {
      history.replaceState(null, "", fragment ? `#${fragment}` : location.href.replace(/#.*/, ""));
    } catch {
      // a frame without an address of its own: nobody can link to it
    }
  };
  model.on("change:selection", follow);
  window.addEventListener("hashchange", () => {
    const named = selectionOf(location.hash);
    if (named) model.set("selection", named);
  });
  const button = element("link");
  button?.addEventListener("click", async () => {
    follow();
    button.textContent = (await copyText(location.href)) ? "copied" : "copy the address";
    setTimeout(() => {
      button.textContent = "link to this";
    }, COPIED_MS);
  });
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
  const signal = new AbortController().signal; // lives as long as the page
  const runtime = await opened(part("runtime") as Bytes, signal, known);
  // the record that the bundle has just opened: a copy of its code here would have signals of its own
  const page = (globalThis as unknown as Record<symbol, Page>)[Symbol.for("xg2lab/page/1")] as Page;
  page.isRecording = !hasEditor();
  const values = { selection: selectionOf(location.hash) ?? saved.selection, ...saved.reports };
  const { session, pad } = recording(
    { trace: part("trace"), bulk: part("bulk"), pad: part("pad"), values },
    signal,
    known,
  );
  if (session) linked(session);
  for (const panel of saved.views) {
    const el = document.createElement("section");
    element("views")?.append(el);
    runtime.mount(panel, session, { model: model({ panel }), el, signal }, pad);
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
