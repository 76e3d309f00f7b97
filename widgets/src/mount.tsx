// Puts a panel on the page: a shadow root of its own, the theme, the keys; one abort signal takes all of it away.
import { effect } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { gunzip } from "./gzip";
import { onKey } from "./keys";
import { theme as hostsTheme, page } from "./page";
import { PANELS, type PanelProps } from "./panels";
import { PictureSource } from "./parts/picture_button";
import { Shell } from "./parts/shell";
import type { Channel } from "./rpc";
import type { PadHandle } from "./runtime_api";
import { during } from "./settled";
import type { Store } from "./store";
import packedStyles from "./styles/index.css";
import { PadContext } from "./views/editor_panel";

const sheet = new CSSStyleSheet();
let isStyled = false;
/** The style sheets, unpacked while the page makes its first model ready: views measure themselves, so none is drawn before. */
const styled = gunzip(Uint8Array.from(atob(packedStyles), (c) => c.charCodeAt(0))).then((css) => {
  sheet.replaceSync(new TextDecoder().decode(css));
  isStyled = true;
});

/** What a view is of: a session, a pad, or both. */
export interface Subject {
  store: Store | null;
  pad: PadHandle | null;
  runtime: Channel;
}

export function mountPanel(name: string, of: Subject, el: HTMLElement, life: AbortSignal): void {
  const Panel = PANELS[name];
  if (!Panel) throw new Error(`xg2lab has no view called ${name}`);
  const show = () => life.aborted || draw(name, Panel, of, el, life);
  if (isStyled) show();
  else during("the style sheets", styled).then(show);
}

function draw(name: string, Panel: ComponentType<PanelProps>, of: Subject, el: HTMLElement, life: AbortSignal): void {
  const { store, pad: handle, runtime } = of;
  const host = document.createElement("div");
  host.dataset.xg2lab = name;
  host.dataset.lmSuppressShortcuts = "true"; // Notebook 7 hears keys before any element does; this is how it is told to leave them
  const shadow = host.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [sheet];
  const root = document.createElement("div");
  root.className = "xg";
  shadow.append(root);
  el.append(host);

  const theme = effect(() => {
    const value = hostsTheme().value;
    if (value === "system") delete root.dataset.theme;
    else root.dataset.theme = value;
  });
  // Notebook shortcuts must not fire for keys typed here; events are retargeted at the host, so it is stopped there too.
  const keys = (event: KeyboardEvent) => {
    if (store) onKey(event, store, root);
    event.stopPropagation();
  };
  root.addEventListener("keydown", keys);
  for (const type of ["keyup", "keypress", "copy", "paste", "cut"])
    root.addEventListener(type, (e) => e.stopPropagation());

  render(
    <PictureSource.Provider value={runtime}>
      <PadContext.Provider value={{ handle, runtime, shadow }}>
        <Shell store={store} single={name !== "workbench"}>
          <Panel store={store as Store} />
        </Shell>
      </PadContext.Provider>
    </PictureSource.Provider>,
    root,
  );
  const shared = page();
  shared.roots ??= new Set();
  shared.roots.add(shadow);
  shared.mounted++;
  life.addEventListener(
    "abort",
    () => {
      theme();
      render(null, root);
      host.remove();
      shared.roots?.delete(shadow);
      shared.mounted--;
    },
    { once: true },
  );
}
