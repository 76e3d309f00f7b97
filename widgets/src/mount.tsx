// Puts a panel on the page: a shadow root of its own, the theme, the keys; one abort signal takes all of it away.
import type { AnyModel } from "@anywidget/types";
import { effect } from "@preact/signals";
import { render } from "preact";
import { keepFocus } from "./focus";
import { isHosts, onKey, onKeyUp } from "./keys";
import { theme as hostsTheme, page } from "./page";
import { type Where, Whereabouts } from "./parts/area_button";
import { InCell } from "./parts/in_cell";
import { PadContext } from "./parts/pad";
import { PictureSource } from "./parts/picture_button";
import { Shell } from "./parts/shell";
import { HasTour } from "./parts/tour_here";
import type { Channel } from "./rpc";
import type { PadHandle } from "./runtime_api";
import { shows } from "./settled";
import type { Store } from "./store";
import styles from "./styles/index.css";
import { MountContext, type View, Views } from "./view";
import type { RuntimeRequests, ViewTraits } from "./wire";

const sheets = new WeakMap<readonly View[], CSSStyleSheet>();
/** The style sheet of every box: what all views have, then what each has. A view may draw parts of another. */
function sheetOf(views: readonly View[]): CSSStyleSheet {
  let sheet = sheets.get(views);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync([styles, ...views.map((view) => view.style)].join("\n"));
    sheets.set(views, sheet);
  }
  return sheet;
}

/** What a view is of: a session, a pad, or both. */
export interface Subject {
  store: Store | null;
  pad: PadHandle | null;
  runtime: Channel<RuntimeRequests>;
  /** where else the host can show it; null: nowhere */
  where?: Where | null;
  /** of the view itself: what it was given beside its subject */
  model: AnyModel<ViewTraits>;
}

/** On an element round a view: the view is as high as its box, which has a height of its own (a tab, a page). */
const FILLS = "[data-xg2lab-fills]";

/** Draws the view of that name, one of `views`, into the box, until its life ends. */
export function mountPanel(
  views: readonly View[],
  name: string,
  of: Subject,
  el: HTMLElement,
  life: AbortSignal,
): void {
  const view = views.find((one) => one.name === name);
  if (!view) throw new Error(`xg2lab has no view called ${name}`);
  if (life.aborted) return;
  const { component: Panel } = view;
  const { store, pad: handle, runtime, model, where = null } = of;
  const single = !view.holdsViews;
  const host = document.createElement("div");
  host.dataset.xg2lab = name;
  if (where?.here) host.dataset.here = where.here;
  // Notebook 7 hears keys before any element does, and JupyterLab leaves them only where this stands: both are told at each key, first of all.
  const tellHost = (event: KeyboardEvent) => {
    if (event.composedPath().includes(host)) host.toggleAttribute("data-lm-suppress-shortcuts", !isHosts(event));
  };
  window.addEventListener("keydown", tellHost, { capture: true, signal: life });
  const shadow = host.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [sheetOf(views)];
  const root = document.createElement("div");
  root.className = "xg";
  shadow.append(root);
  el.append(host);
  if ((!single || where?.here === "tab") && el.closest(FILLS)) host.dataset.fills = "";

  const theme = effect(() => {
    const value = hostsTheme().value;
    if (value === "system") delete root.dataset.theme;
    else root.dataset.theme = value;
  });
  // Notebook shortcuts must not fire for keys typed here; events are retargeted at the host, so it is stopped there too.
  const keys = (event: KeyboardEvent) => {
    if (store) onKey(event, store, root, views);
    if (!isHosts(event)) event.stopPropagation();
  };
  root.addEventListener("keydown", keys);
  const acts = (event: Event) => store?.actsIn(root, (event.target as Element).closest(".panel"));
  for (const type of ["keydown", "pointerdown"]) root.addEventListener(type, acts, { capture: true });
  root.addEventListener("keyup", (event) => onKeyUp(event, root));
  keepFocus(root, life);
  for (const type of ["keyup", "keypress", "copy", "paste", "cut"])
    root.addEventListener(type, (e) => e.stopPropagation());

  render(
    <Views.Provider value={views}>
      <PictureSource.Provider value={runtime}>
        <PadContext.Provider value={{ handle, runtime, shadow }}>
          <Whereabouts.Provider value={where}>
            <HasTour.Provider value={name === "workbench"}>
              <MountContext.Provider value={model}>
                <Shell store={store} root={root} single={single}>
                  <InCell view={view}>
                    <Panel store={store as Store} />
                  </InCell>
                </Shell>
              </MountContext.Provider>
            </HasTour.Provider>
          </Whereabouts.Provider>
        </PadContext.Provider>
      </PictureSource.Provider>
    </Views.Provider>,
    root,
  );
  for (const subject of [store?.link.handle, handle]) if (subject) shows(subject.model, life);
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
