// The panes of the workbench: drawn where layout.ts puts them, or as an accordion where the box is narrow.
//
// A pane mounts the view on top of its stack and no other, so a tab that nobody sees costs nothing. Panes scroll; the room round them never
// does.
import { computed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { isField } from "../focus";
import { BARE, FrameContext, type Pane, PaneContext } from "../parts/pane";
import { placeIn, zoomOf } from "../parts/place";
import type { Store } from "../store";
import { NOTHING_SELECTED } from "../trace";
import { leastOf } from "./arrangements";
import { Cover } from "./cover";
import { digitOf, hearKeys } from "./keys";
import { arrange, type Box, dockAt, drag, type PaneAt, reach, type Side, type Splitter, toggle } from "./layout";
import { Ends, MenuBox, Tabs } from "./panes";
import { withTrace } from "./presenting";
import type { FrameState } from "./state";

const STEP_PX = 16;
const placed = ({ x, y, w, h }: Box) => ({ left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
const panelName = (view: string): string => view.replaceAll("_", "-");

interface FrameProps {
  store: Store;
  /** what the views draw: the same store, or that of a presenter, which ends at the cursor */
  shown: Store;
  frame: FrameState;
}
interface Docking {
  view: string;
  to: { to: string; side: Side; shown: Box } | null;
}

/** Moves the focus to the panel of a view; whether there is one. */
function focusPanel(root: HTMLElement | null, view: string): boolean {
  const panel = root?.querySelector<HTMLElement>(`[data-panel="${panelName(view)}"]`);
  panel?.focus({ preventScroll: true });
  return panel != null;
}

const Edge = ({ line, room, frame }: { line: Splitter; room: HTMLElement | null; frame: FrameState }) => {
  const from = useRef<{ at: number; moved: number } | null>(null);
  const { lengths, at, dir } = line;
  const [least, most] = reach(line).map((by) => (lengths[at] as number) + by) as [number, number];
  const isRow = dir === "row";
  const move = (by: number) => frame.change(drag(frame.layout.peek(), line, by));
  const keys = (event: KeyboardEvent) => {
    const [less, more] = isRow ? (["ArrowLeft", "ArrowRight"] as const) : (["ArrowUp", "ArrowDown"] as const);
    const far = Number.MAX_SAFE_INTEGER;
    const steps: Record<string, number> = { [less]: -STEP_PX, [more]: STEP_PX, Home: -far, End: far };
    const step = steps[event.key];
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (step !== undefined) move(step);
    else if (event.key === "Enter") frame.change(toggle(frame.layout.peek(), line));
    else return;
    event.preventDefault();
  };
  const pointAt = (event: PointerEvent) => {
    const { x, y } = placeIn(event, room ?? (event.currentTarget as Element));
    return isRow ? x : y;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule does not take the focus; this one is moved
    <div
      class={`splitter ${dir}`}
      role="separator"
      tabIndex={0}
      aria-orientation={isRow ? "vertical" : "horizontal"}
      aria-valuenow={lengths[at] as number}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-label={isRow ? "Width of the pane before" : "Height of the pane above"}
      title="Drag, or arrow keys; ⏎ collapses a pane"
      style={placed(line)}
      onKeyDown={keys}
      onPointerDown={(event) => {
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        from.current = { at: pointAt(event), moved: 0 };
      }}
      onPointerMove={(event) => {
        const start = from.current;
        if (!start) return;
        // the line under the hand has moved already: what is asked for is the rest of the way
        const by = pointAt(event) - start.at - start.moved;
        const [lo, hi] = reach(line);
        const step = Math.round(Math.max(lo, Math.min(hi, by)));
        if (step === 0) return;
        start.moved += step;
        move(step);
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onPointerCancel={() => {
        from.current = null;
      }}
    />
  );
};

/** Hears a drag that begins on a tab or a heading: from 6 pixels on it docks, and a click stays a click. */
function useDocking(frame: FrameState, room: { current: HTMLElement | null }, panes: readonly PaneAt[]) {
  const docking = useSignal<Docking | null>(null);
  const now = useRef(panes);
  now.current = panes;
  const begin = useCallback((view: string, event: PointerEvent) => {
    if (frame.isLesson || event.button !== 0 || frame.maximised.peek()) return;
    const off = new AbortController();
    const { clientX, clientY } = event;
    const on = (type: string, act: (event: never) => void) =>
      window.addEventListener(type, act as EventListener, { signal: off.signal, capture: true });
    const end = (isDropped: boolean) => {
      off.abort();
      const to = docking.peek()?.to;
      docking.value = null;
      if (!isDropped || !to) return;
      frame.focusNext = { view, part: "panel" };
      frame.move(view, to.to, to.side);
    };
    on("pointermove", (moved: PointerEvent) => {
      const { clientX: x, clientY: y } = moved;
      if (!docking.peek() && Math.hypot(x - clientX, y - clientY) < 6) return;
      const box = room.current?.getBoundingClientRect();
      docking.value = { view, to: dockAt(now.current, x - (box?.left ?? 0), y - (box?.top ?? 0)) };
    });
    on("pointerup", () => end(true));
    on("pointercancel", () => end(false));
    on("keydown", (key: KeyboardEvent) => {
      if (key.key !== "Escape" || !docking.peek()) return;
      key.preventDefault();
      key.stopPropagation();
      end(false);
    });
  }, []);
  return [docking, begin] as const;
}

interface StackProps extends FrameProps {
  at: PaneAt;
  /** the view on top */
  on: string;
  begin: (view: string, event: PointerEvent) => void;
}
/** A pane: the view on top, with its tabs in its head; or a bar of titles. */
function StackPane({ store, shown, frame, at, on, begin }: StackProps) {
  const { stack, bar } = at;
  const View = frame.viewOf(on)?.component;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const next = frame.focusNext;
    if (next?.view !== on || bar) return;
    frame.focusNext = null;
    const selector = next.part === "tab" ? `[role=tab][data-view="${on}"]` : ".panel";
    const found =
      box.current?.querySelector<HTMLElement>(selector) ?? box.current?.querySelector<HTMLElement>(".panel");
    found?.focus({ preventScroll: true });
  }, [frame, on, bar, stack]);
  const isSlim = !bar && at.h < 64; // too low for a head: the view has the whole pane
  const isBare = !bar && stack.views.length === 1 && stack.views[0] === "tape" && at.h < BARE;
  const pane = useMemo(
    (): Pane => ({
      start: <Tabs store={store} frame={frame} views={stack.views} on={on} begin={begin} />,
      end: <Ends frame={frame} view={on} hasTabs={stack.views.length > 1} />,
      width: at.w,
      height: at.h,
    }),
    [store, frame, stack, on, at.w, at.h, begin],
  );
  const kind = `${bar ? ` is-bar ${bar}` : ""}${isSlim ? " is-slim" : ""}${isBare ? " is-bare" : ""}`;
  return (
    <div class={`pane${kind}`} ref={box} data-stack={stack.id} style={{ ...placed(at), "--pane-height": `${at.h}px` }}>
      {bar ? (
        <Tabs store={store} frame={frame} views={stack.views} on={null} begin={begin} />
      ) : (
        View && (
          <PaneContext.Provider value={pane}>
            <Cover store={store} frame={frame} view={on}>
              <View key={on} store={shown} nested />
            </Cover>
          </PaneContext.Provider>
        )
      )}
    </div>
  );
}

function Room({ store, shown, frame, room }: FrameProps & { room: { current: HTMLDivElement | null } }) {
  const trace = store.link.trace.value;
  const { w, h } = frame.size.value;
  const layout = frame.layout.value;
  const arranged = useMemo(() => arrange(layout, { x: 0, y: 0, w, h }, leastOf), [layout, w, h]);
  const whole = frame.maximised.value;
  const [docking, begin] = useDocking(frame, room, arranged.panes);
  const from = arranged.panes.find(({ stack }) => whole !== null && stack.views.includes(whole));
  const panes = useMemo(
    () => (from ? [{ ...from, x: 0, y: 0, w, h, bar: null }] : arranged.panes),
    [from, arranged, w, h],
  );
  const tops = panes.map(({ stack }) => whole ?? frame.onTop(stack, trace));
  // a step draws the views that it concerns, and no pane anew
  const drawn = useMemo(
    () =>
      panes.map((at, k) => (
        <StackPane
          key={at.stack.id}
          store={store}
          shown={shown}
          frame={frame}
          at={at}
          on={tops[k] as string}
          begin={begin}
        />
      )),
    [store, shown, frame, panes, tops.join(), begin],
  );
  if (arranged.panes.every(({ stack }) => stack.views.length === 0))
    return (
      <div class="state room-empty">
        <strong>All panes are closed</strong>
        <p>The list of panes in the head opens them again.</p>
        <button type="button" onClick={() => frame.reset()}>
          reset the layout
        </button>
      </div>
    );
  const to = docking.value?.to;
  return (
    <>
      {drawn}
      {!from &&
        arranged.splitters.map((line) => (
          <Edge key={`${line.path.join()}:${line.at}`} line={line} room={room.current} frame={frame} />
        ))}
      {to && <div class="dock-mark" style={placed(to.shown)} />}
    </>
  );
}

/** Where the box is narrow: a row a view; a closed row says its result in a line and mounts nothing. */
function Accordion({ store, shown, frame }: FrameProps) {
  const { rows, open } = frame.rowsNow;
  const width = frame.size.value.w;
  return (
    <>
      {rows.map((name) => {
        const view = frame.viewOf(name);
        if (!view) return null;
        const isOpen = open.has(name);
        const number = frame.numbered.indexOf(name) + 1;
        const start: ComponentChildren = (
          <button
            type="button"
            class="row-title"
            aria-expanded={isOpen}
            data-row-of={name}
            onClick={() => frame.toggleRow(name)}
          >
            <i class="chevron" />
            <b>{view.title}</b>
          </button>
        );
        if (!isOpen)
          return (
            <div key={name} class="row">
              {start}
              <span class="row-says">{view.says(store)}</span>
              {number > 0 && <kbd>{number}</kbd>}
            </div>
          );
        const { component: View } = view;
        return (
          <div key={name} class="row is-open" data-stack={name}>
            <PaneContext.Provider value={{ start, end: null, width, height: null }}>
              <Cover store={store} frame={frame} view={name}>
                <View store={shown} nested />
              </Cover>
            </PaneContext.Provider>
          </div>
        );
      })}
    </>
  );
}

/** Keys of the frame, wherever in the widget they are pressed. */
function useKeys({ store, frame }: Omit<FrameProps, "shown">, room: { current: HTMLDivElement | null }): void {
  useEffect(() => {
    const root = room.current?.closest<HTMLElement>(".xg");
    if (!root) return undefined;
    const active = () => (root.getRootNode() as ShadowRoot).activeElement;
    const stacks = () => [...root.querySelectorAll<HTMLElement>("[data-stack]")];
    const trace = () => store.link.trace.peek();
    const viewAt = (element: Element | null | undefined): string | null => {
      const panel =
        element?.closest<HTMLElement>("[data-panel]") ?? element?.querySelector<HTMLElement>("[data-panel]");
      return panel?.dataset.panel?.replaceAll("-", "_") ?? null;
    };
    const goTo = (view: string) => {
      const panel = root.querySelector<HTMLElement>(`[data-panel="${panelName(view)}"]`);
      const tab = panel?.contains(active()) ? panel.querySelector("[role=tab][aria-selected=true]") : null;
      const next = tab?.nextElementSibling ?? tab?.parentElement?.firstElementChild;
      if (next && next !== tab) return void (next as HTMLElement).click();
      if (focusPanel(root, view) && frame.width.peek() !== "narrow") return;
      frame.focusNext = { view, part: "panel" };
      if (!frame.show(view, trace())) frame.focusNext = null;
      else if (frame.width.peek() === "narrow")
        requestAnimationFrame(() => {
          focusPanel(root, view);
          const [box, row] = [room.current, root.querySelector(`[data-row-of="${view}"]`)?.closest(".row")];
          if (box && row)
            box.scrollTop += (row.getBoundingClientRect().top - box.getBoundingClientRect().top) / zoomOf(box);
        });
    };
    const hearsPresenter = (key: string): boolean => {
      const isOn = store.presenting.peek();
      if (key === "P" && frame.size.peek().w > 0) store.presenting.value = !isOn;
      else if (!isOn || store.helpOpen.peek()) return false;
      else if (key === ".") frame.uncover(store);
      else if (key === ",") frame.cover(store);
      else if (key === "Escape" && !store.isRunning) store.presenting.value = false;
      else return false;
      return true;
    };
    const hears = (event: KeyboardEvent): boolean => {
      const digit = digitOf(event);
      if (event.key === "F6") {
        const all = stacks();
        const at = all.findIndex((one) => one.contains(active()));
        const next = all[(at + (event.shiftKey ? -1 + all.length : 1)) % all.length] ?? all[0];
        const target = next?.querySelector<HTMLElement>(".panel") ?? next?.querySelector<HTMLElement>("button");
        target?.focus({ preventScroll: true });
        return true;
      }
      if (event.altKey && digit !== null) {
        const view = frame.numbered[digit - 1];
        if (view) goTo(view);
        return true;
      }
      if (event.altKey && event.key === "Enter") {
        const view = viewAt(active()) ?? frame.maximised.peek();
        if (!view || frame.width.peek() === "narrow") return false;
        frame.toggleMaximised(view);
        return true;
      }
      const isInField = isField(event.composedPath()[0] as HTMLElement);
      const isWritten = isInField || /^\d$/.test(event.key);
      if (!isInField && !event.altKey && !event.repeat) {
        const notes = root.querySelector<HTMLElement>('[data-key="N"]');
        const shuts = event.key === "Escape" && notes?.ariaExpanded === "true";
        if (event.key === "N" || shuts) {
          notes?.click();
          return true;
        }
        if (hearsPresenter(event.key)) return true;
      }
      if (event.shiftKey && !event.altKey && digit !== null && !isWritten) return frame.arrangeNumber(digit);
      return false;
    };
    return hearKeys(root, hears);
  }, [store, frame, room]);
}

export function Frame({ store, frame }: Omit<FrameProps, "shown">) {
  const presented = useMemo(
    () =>
      withTrace(
        store,
        computed(() => frame.shownTrace(store)),
      ),
    [store, frame],
  );
  const presenting = frame.presenting.value;
  const shown = presenting ? presented : store;
  useEffect(() => {
    if (!presenting) frame.revealed.value = new Set();
  }, [presenting, frame]);
  const room = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = room.current;
    if (!box) return undefined;
    const measure = () => {
      const [w, h] = [box.clientWidth, box.clientHeight];
      const { value } = frame.size;
      // a box that is put away has no size: nothing is drawn anew for it
      if (w > 0 && h > 0 && (w !== value.w || h !== value.h)) frame.size.value = { w, h };
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    return () => watch.disconnect();
  }, [frame]);
  useEffect(() => {
    let before = { ...NOTHING_SELECTED, ...store.selection.peek() };
    return store.selection.subscribe((now) => {
      if (now === before) return;
      const last = before;
      before = now;
      frame.reveal(last, now, store.link.trace.peek());
    });
  }, [store, frame]);
  useKeys({ store, frame }, room);
  const isNarrow = frame.width.value === "narrow";
  const acts = (event: Event) =>
    frame.actedIn((event.target as Element).closest<HTMLElement>("[data-stack]")?.dataset.stack ?? null);
  const maximises = (event: MouseEvent) => {
    const target = event.target as Element;
    if (!target.closest(".pane .head") || target.closest("button, input, select")) return;
    const panel = target.closest<HTMLElement>("[data-panel]")?.dataset.panel;
    if (panel) frame.toggleMaximised(panel.replaceAll("-", "_"));
  };
  const actions = useMemo(
    () => ({ show: (view: string) => void frame.show(view, store.link.trace.peek()) }),
    [frame, store],
  );
  return (
    <FrameContext.Provider value={actions}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a double click does what a button in the same head does */}
      <div
        class={isNarrow ? "room accordion" : "room"}
        ref={room}
        data-width={frame.width.value}
        data-arrangement={frame.arrangement.value}
        onPointerDownCapture={acts}
        onKeyDownCapture={acts}
        onDblClick={maximises}
      >
        {frame.size.value.w > 0 &&
          (isNarrow ? (
            <Accordion store={store} shown={shown} frame={frame} />
          ) : (
            <Room store={store} shown={shown} frame={frame} room={room} />
          ))}
      </div>
      <MenuBox store={store} frame={frame} />
    </FrameContext.Provider>
  );
}
