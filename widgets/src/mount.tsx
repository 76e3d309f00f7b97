// Puts a panel on the page: a shadow root of its own, the theme, the keys; one abort signal takes all of it away.
import { effect } from "@preact/signals";
import { render } from "preact";
import { onKey } from "./keys";
import { page } from "./page";
import { PANELS } from "./panels";
import { Shell } from "./parts/shell";
import type { Store } from "./store";
import base from "./styles/base.css";
import cache from "./styles/cache.css";
import panels from "./styles/panels.css";
import stacks from "./styles/stacks.css";
import tokens from "./styles/tokens.css";
import views from "./styles/views.css";

let sheet: CSSStyleSheet | undefined;
function styles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(tokens + base + panels + views + cache + stacks);
  }
  return sheet;
}

export function mountPanel(name: string, store: Store, el: HTMLElement, life: AbortSignal): void {
  const Panel = PANELS[name];
  if (!Panel) throw new Error(`xg2lab has no view called ${name}`);
  const host = document.createElement("div");
  host.dataset.xg2lab = name;
  const shadow = host.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [styles()];
  const root = document.createElement("div");
  root.className = "xg";
  shadow.append(root);
  el.append(host);

  const theme = effect(() => {
    const value = page().theme.value;
    if (value === "system") delete root.dataset.theme;
    else root.dataset.theme = value;
  });
  // Notebook shortcuts must not fire for keys typed here; events are retargeted at the host, so it is stopped there too.
  const keys = (event: KeyboardEvent) => {
    onKey(event, store, root);
    event.stopPropagation();
  };
  root.addEventListener("keydown", keys);
  for (const type of ["keyup", "keypress", "copy", "paste", "cut"])
    root.addEventListener(type, (e) => e.stopPropagation());

  render(
    <Shell store={store} single={name !== "workbench"}>
      <Panel store={store} />
    </Shell>,
    root,
  );
  page().mounted++;
  life.addEventListener(
    "abort",
    () => {
      theme();
      render(null, root);
      host.remove();
      page().mounted--;
    },
    { once: true },
  );
}
