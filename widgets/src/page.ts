// What belongs to the browser page and not to one module instance.
//
// Two kernels, or one restarted kernel, evaluate the bundle again; vocabularies and the layout worker are fetched once a page
// all the same. The counters are read by the browser tests.
import { type Signal, signal } from "@preact/signals";
import type { Layouter } from "./assets";
import type { Vocabulary } from "./vocabulary";

export type Theme = "light" | "dark" | "system";
export interface Page {
  evaluations: number;
  mounted: number;
  stores: number;
  assets_fetched: number;
  workers: number;
  layouter?: Promise<Layouter> | undefined;
  /** blob URLs of fetched code; absent where an older bundle opened the page */
  chunks?: Map<string, Promise<string>> | undefined;
  vocabularies: Map<string, Promise<Vocabulary>>;
  theme: Signal<Theme>;
  /** an exported page: nobody will ever answer */
  isRecording?: boolean;
}

/** The host's theme: JupyterLab and Notebook say it on the body, VS Code by a class, others leave it to the system. */
export function hostTheme(body: HTMLElement): Theme {
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter !== undefined) return jupyter === "false" ? "dark" : "light";
  if (body.classList.contains("vscode-dark") || body.classList.contains("vscode-high-contrast")) return "dark";
  if (body.classList.contains("vscode-light")) return "light";
  return "system";
}

function open(): Page {
  const theme = signal<Theme>(hostTheme(document.body));
  const watch = new MutationObserver(() => {
    theme.value = hostTheme(document.body);
  });
  watch.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  return { evaluations: 0, mounted: 0, stores: 0, assets_fetched: 0, workers: 0, vocabularies: new Map(), theme };
}

const KEY = Symbol.for("xg2lab/page/1");
const scope = globalThis as unknown as Record<symbol, Page | undefined>;
/** The page's one record, made by whoever comes first. */
export function page(): Page {
  scope[KEY] ??= open();
  return scope[KEY];
}
