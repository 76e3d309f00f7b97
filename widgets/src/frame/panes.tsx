// What stands in the head of a pane: its tabs or its title, the buttons at its end, and the menus of the frame.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/glyphs";
import { zoomOf } from "../parts/place";
import type { Store } from "../store";
import type { FrameState } from "./state";

interface TabsProps {
  store: Store;
  frame: FrameState;
  views: readonly string[];
  /** the view on top; null in a bar, where no view is drawn */
  on: string | null;
  begin: (view: string, event: PointerEvent) => void;
}

export function Tabs({ store, frame, views, on, begin }: TabsProps) {
  const list = useRef<HTMLSpanElement>(null);
  const rootOf = () => list.current?.closest<HTMLElement>(".xg") ?? null;
  useLayoutEffect(() => {
    const [box, tab] = [list.current, list.current?.querySelector<HTMLElement>("[aria-selected=true]")];
    if (!box || !tab || box.scrollWidth <= box.clientWidth) return;
    box.scrollLeft = tab.offsetLeft - box.offsetLeft - box.clientWidth / 3;
  }, [on]);
  const menu = (view: string) => openMenu(frame, list.current, view);
  const pick = (view: string) => {
    if (view !== on) frame.focusNext = { view, part: "tab" };
    frame.pick(view, store.link.trace.peek());
    // of a bar that has no room to open, the view takes the whole frame
    if (on === null) requestAnimationFrame(() => isStillBar(rootOf(), view) && frame.toggleMaximised(view));
  };
  const keys = (event: KeyboardEvent) => {
    const view = (event.target as HTMLElement).dataset.view ?? on ?? (views[0] as string);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) menu(view);
    else if (event.key === "Delete" && !frame.isLesson) {
      const next = views[views.indexOf(view) + 1] ?? views[views.indexOf(view) - 1];
      if (next && view === on) frame.focusNext = { view: next, part: "tab" };
      frame.close(view);
    } else if (by && !event.shiftKey && views.length > 1)
      pick(views[(views.indexOf(view) + by + views.length) % views.length] as string);
    else return;
    event.preventDefault();
  };
  const handlers = (view: string) => ({
    "data-view": view,
    onPointerDown: (event: PointerEvent) => begin(view, event),
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault();
      menu(view);
    },
  });
  const [only] = views;
  if (views.length === 1 && only && on !== null)
    return (
      <h2 class="pane-title" {...handlers(only)}>
        {frame.titleOf(only)}
      </h2>
    );
  return (
    <span class="tabs" role="tablist" aria-label="Views in this pane" ref={list} onKeyDown={keys}>
      {views.map((view, k) => (
        <button
          key={view}
          type="button"
          role="tab"
          aria-selected={view === on}
          tabIndex={view === on || (on === null && k === 0) ? 0 : -1}
          onClick={() => pick(view)}
          {...handlers(view)}
        >
          {frame.titleOf(view)}
        </button>
      ))}
    </span>
  );
}
const isStillBar = (root: HTMLElement | null, view: string): boolean =>
  root?.querySelector(`.is-bar [data-view="${view}"]`) != null;

/** The menu of a view, below the head of its pane. */
function openMenu(frame: FrameState, from: Element | null | undefined, view: string): void {
  const [pane, room] = [from?.closest(".pane"), from?.closest(".workbench")];
  if (!pane || !room) return;
  const [box, whole] = [pane.getBoundingClientRect(), room.getBoundingClientRect()];
  const zoom = zoomOf(room);
  const [right, top] = [(whole.right - box.right) / zoom + 4, (box.top - whole.top) / zoom + 32];
  frame.menu.value = { of: view, at: { right, top } };
}

/** At the end of a pane's head: its menu, and the whole frame for it. */
export function Ends({ frame, view, hasTabs }: { frame: FrameState; view: string; hasTabs: boolean }) {
  const title = frame.titleOf(view);
  const isWhole = frame.maximised.value !== null;
  return (
    <span class="pane-ends" data-act>
      <button
        type="button"
        class="ghost icon"
        aria-haspopup="menu"
        aria-expanded={frame.menu.value?.of === view}
        title={hasTabs ? "Menu of this pane: move, close (⇧F10 on a tab)" : "Menu of this pane: move, close"}
        aria-label={`Menu of ${title}`}
        data-menu-of={view}
        onClick={(event) => openMenu(frame, event.currentTarget as Element, view)}
      >
        <Icon name="more" filled />
      </button>
      <button
        type="button"
        class="ghost icon"
        aria-pressed={isWhole}
        title={isWhole ? "Restore (alt ⏎)" : "Maximise (alt ⏎)"}
        aria-label={`${isWhole ? "Restore" : "Maximise"} ${title}`}
        onClick={() => frame.toggleMaximised(view)}
      >
        <Icon name={isWhole ? "restore" : "maximise"} />
      </button>
    </span>
  );
}

/** The open menu: arrows move, ⏎ chooses, esc and a click elsewhere shut it. */
export function MenuBox({ store, frame }: { store: Store; frame: FrameState }) {
  const box = useRef<HTMLDivElement>(null);
  const menu = frame.menu.value;
  useLayoutEffect(() => {
    if (menu) box.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [menu]);
  if (!menu) return null;
  const shut = () => {
    const root = box.current?.closest<HTMLElement>(".xg") ?? null;
    frame.menu.value = null;
    const opener = menu.of === null ? "[data-panes]" : `[data-menu-of="${menu.of}"]`;
    requestAnimationFrame(() => {
      const active = (root?.getRootNode() as ShadowRoot | undefined)?.activeElement;
      if (active && active !== root) return;
      root?.querySelector<HTMLElement>(opener)?.focus({ preventScroll: true });
    });
  };
  const item: Item = (words, act, keys) => (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      onClick={() => {
        const root = box.current?.closest<HTMLElement>(".xg") ?? null;
        shut();
        act(root);
      }}
    >
      <span>{words}</span>
      {keys && <kbd>{keys}</kbd>}
    </button>
  );
  const keys = (event: KeyboardEvent) => {
    const items = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = items.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items[to % items.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") shut();
    else if (event.key !== "Enter" && event.key !== " ") return event.stopPropagation();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const place = menu.of === null ? { right: "8px", top: "40px" } : placeOf(menu.at);
  return (
    <div
      class="float menu"
      role="menu"
      tabIndex={-1}
      aria-label={menu.of === null ? "Panes" : `Pane ${frame.titleOf(menu.of)}`}
      ref={box}
      style={place}
      onKeyDown={keys}
      onFocusOut={(event) => {
        if (!box.current?.contains(event.relatedTarget as globalThis.Node | null)) frame.menu.value = null;
      }}
    >
      {menu.of === null ? (
        <Closed frame={frame} store={store} item={item} />
      ) : (
        <OfPane frame={frame} view={menu.of} item={item} />
      )}
    </div>
  );
}
const placeOf = ({ right, top }: { right: number; top: number }) => ({
  right: `${right}px`,
  top: `${top}px`,
  maxHeight: `calc(100% - ${top + 8}px)`,
});
type Item = (words: ComponentChildren, act: (root: HTMLElement | null) => void, keys?: string) => ComponentChildren;

function OfPane({ frame, view, item }: { frame: FrameState; view: string; item: Item }) {
  const own = frame.ownOf(view);
  const name = (views: readonly string[]) =>
    views
      .slice(0, 2)
      .map((one) => frame.titleOf(one))
      .join(", ");
  return (
    <>
      {item(frame.maximised.value ? "restore" : "maximise", () => frame.toggleMaximised(view), "alt ⏎")}
      {!frame.isLesson && (
        <>
          {frame.othersOf(view).map(({ id, views }) =>
            item(
              <>
                move to <b>{name(views)}</b>
                {views.length > 2 && " …"}
              </>,
              () => frame.move(view, id, "in"),
            ),
          )}
          {own &&
            own.views.length > 1 &&
            item("move to the right of this pane", () => frame.move(view, own.id, "right"))}
          {own && own.views.length > 1 && item("move below this pane", () => frame.move(view, own.id, "bottom"))}
          {item(
            "close",
            (root) => {
              frame.close(view);
              // the view beside it has the focus then, else the first pane
              requestAnimationFrame(() => {
                const next = root?.querySelector<HTMLElement>(`[data-stack="${own?.id}"] .panel`);
                (next ?? root?.querySelector<HTMLElement>(".panel"))?.focus({ preventScroll: true });
              });
            },
            "del",
          )}
        </>
      )}
    </>
  );
}

function Closed({ frame, store, item }: { frame: FrameState; store: Store; item: Item }) {
  const { closed } = frame;
  return (
    <>
      {closed.length === 0 && <p class="faint">No pane is closed.</p>}
      {closed.map(({ name, title }) =>
        item(
          <>
            open <b>{title}</b>
          </>,
          () => frame.show(name, store.link.trace.peek()),
        ),
      )}
      {item("reset the layout", () => frame.reset())}
    </>
  );
}
