// Views in tabs of JupyterLab's main area and in its right sidebar. A tab shows one view, and ends with the view's notebook.
import type { Host, Opening } from "../areas";
import type { NotebookPanel, NotebookTracker, Shell, Widget, WidgetClass } from "./jupyterlab";

/** Room that a sidebar gives a view, in CSS pixels; its reader may drag it wider. */
const LEAST_WIDTH = 360;

interface Tab {
  opening: Opening;
  widget: Widget;
  box: HTMLElement;
  notebook: NotebookPanel | null;
  life: AbortController;
}

/** The view has the focus as soon as its tab comes to front: its keys work at once, also before its first panel is drawn. */
function focusIn(box: HTMLElement): void {
  const view = box.querySelector("[data-xg2lab]")?.shadowRoot;
  const part = view?.querySelector<HTMLElement>("[data-panel]") ?? view?.querySelector<HTMLElement>(".xg");
  part?.focus({ preventScroll: true });
}

/** The page that follows a session; the server serves it beside this extension. */
export const studentPage = (baseUrl: string, kernel: string, session: string): string =>
  `${baseUrl}lab/extensions/xg2lab/static/follow.html?${new URLSearchParams({ kernel, session })}`;

export function tabs(
  shell: Shell,
  notebooks: NotebookTracker | null,
  Base: WidgetClass,
  icon: unknown,
  baseUrl: string,
): Host {
  const opened = new Map<string, Tab>();
  let n = 0;

  class ViewWidget extends Base {
    protected onCloseRequest(): void {
      this.dispose();
    }

    protected onActivateRequest(): void {
      focusIn(this.node);
    }
  }

  const notebookOf = (cell: HTMLElement): NotebookPanel | null =>
    notebooks?.find(({ node }) => node.contains(cell)) ?? notebooks?.currentWidget ?? null;

  /** A tab whose view lost its kernel, or its cell: the same view of the notebook takes its place. */
  const left = (opening: Opening, notebook: NotebookPanel | null): Tab | undefined =>
    [...opened.values()].find(
      (tab) =>
        tab.opening.key === opening.key &&
        tab.opening.area === opening.area &&
        tab.notebook === notebook &&
        !(tab.opening.isLive() && tab.opening.cell.isConnected),
    );

  function draw(tab: Tab, opening: Opening): void {
    opened.delete(tab.opening.view);
    opened.set(opening.view, tab);
    tab.life.abort();
    tab.life = new AbortController();
    tab.opening = opening;
    tab.widget.title.label = opening.title;
    opening.draw(tab.box, tab.life.signal);
  }

  function made(opening: Opening, notebook: NotebookPanel | null): Tab {
    const widget = new ViewWidget();
    widget.id = `xg2lab-${++n}`;
    widget.title.caption = `xg2lab, ${opening.title}${notebook ? `, of ${notebook.title.label}` : ""}`;
    widget.title.icon = icon;
    widget.title.closable = true;
    widget.node.tabIndex = -1;
    widget.node.style.minWidth = `${LEAST_WIDTH}px`;
    const box = document.createElement("div");
    box.dataset.xg2labFills = ""; // a view that can be as high as its box is
    Object.assign(box.style, { height: "100%", overflow: "hidden", background: "var(--jp-layout-color1)" });
    widget.node.append(box);
    const tab: Tab = { opening, widget, box, notebook, life: new AbortController() };
    widget.disposed.connect(() => {
      opened.delete(tab.opening.view);
      tab.life.abort();
    });
    // a moment later: while the notebook is being disposed, the dock would show it in place of this tab
    notebook?.disposed.connect(() => queueMicrotask(() => widget.dispose()));
    const isTab = opening.area === "tab";
    shell.add(widget, isTab ? "main" : "right", {
      activate: false,
      ...(isTab ? { mode: "tab-after", ref: notebook?.id ?? null } : {}),
    });
    return tab;
  }

  return {
    open(opening) {
      const notebook = notebookOf(opening.cell);
      let tab = opened.get(opening.view);
      if (!tab) {
        tab = left(opening, notebook) ?? made(opening, notebook);
        draw(tab, opening);
      }
      if (opening.inFront) shell.activateById(tab.widget.id);
    },
    close(view) {
      opened.get(view)?.widget.dispose();
    },
    studentPage(cell, session) {
      const kernel = notebookOf(cell)?.sessionContext.session?.kernel?.id;
      return kernel === undefined ? null : studentPage(baseUrl, kernel, session);
    },
  };
}
