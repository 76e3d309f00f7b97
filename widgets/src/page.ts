// What belongs to the browser page and not to one module instance.
//
// Two kernels, or one restarted kernel, evaluate the bundle again; vocabularies and the layout worker are fetched once a page
// all the same. The counters are read by the browser tests.
import { type Signal, signal } from "@preact/signals";
import type { Layouter } from "./assets";
import type { Vocabulary } from "./vocabulary";

export interface Settling {
  /** the kernel also renews what a saved notebook holds */
  replay?: boolean;
  limitMs?: number;
}
/** Asks a kernel to tell what it has not told yet; whether there was something, or a step is under way. */
export type CatchUp = (how: Settling) => Promise<boolean>;
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
  /** for older bundles on the page: see `theme` */
  readonly theme: Signal<Theme>;
  /** what has begun and not ended, by name; who asks each kernel for its news; where views are drawn; see settled.ts */
  underWay?: Map<string, number>;
  kernels?: Set<CatchUp>;
  roots?: Set<ShadowRoot>;
  settled?: (options?: Settling) => Promise<void>;
  /** an exported page: nobody will ever answer */
  isRecording?: boolean;
  /** a student's page: the kernel answers, and the session is another person's */
  isFollowing?: boolean;
}

/** The host's theme: JupyterLab and Notebook say it on the body, VS Code by a class, others leave it to the system. */
export function hostTheme(body: HTMLElement): Theme {
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter !== undefined) return jupyter === "false" ? "dark" : "light";
  if (body.classList.contains("vscode-dark") || body.classList.contains("vscode-high-contrast")) return "dark";
  if (body.classList.contains("vscode-light")) return "light";
  return "system";
}

let followed: Signal<Theme> | undefined;
/** The host's theme. Each evaluation of the bundle has a signal of its own: it has its own copy of signals, which others don't wake. */
export function theme(): Signal<Theme> {
  if (!followed) {
    const own = signal<Theme>(hostTheme(document.body));
    const watch = new MutationObserver(() => {
      own.value = hostTheme(document.body);
    });
    watch.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
    followed = own;
  }
  return followed;
}

const open = (): Page => ({
  evaluations: 0,
  mounted: 0,
  stores: 0,
  assets_fetched: 0,
  workers: 0,
  vocabularies: new Map(),
  get theme() {
    return theme();
  },
});

const KEY = Symbol.for("xg2lab/page/1");
const scope = globalThis as unknown as Record<symbol, Page | undefined>;
/** The page's one record, made by whoever comes first. */
export function page(): Page {
  scope[KEY] ??= open();
  return scope[KEY];
}
