// The tour: five cards on the live workbench, each beside the pane that it is about.
//
// Reader sees a ring round one pane, and a card that waits for a deed (a step, a click on a blocked token, a changed grammar) or for ⏎.
//              Esc, or "skip", ends the tour. Nothing is dimmed, and every key and click does what it always does.
// The tour knows panes by `data-panel`. A pane behind a tab is brought to front by its tab.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isAllowed, isField, visible } from "../kit";
import type { Store } from "../store";
import { CARDS, type Card, type Facts } from "./cards";
import { type Box, placeBeside } from "./place";
import styles from "./tour.css";

export interface TourProps {
  store: Store;
  root: HTMLElement;
  leave: () => void;
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

function factsOf(store: Store): Facts {
  const trace = store.link.trace.value;
  const step = store.step.value;
  const wanted = step?.top.find(([, , p, , code]) => (p ?? 0) > 0 && code !== null && !isAllowed(code));
  const token = store.selection.value.token;
  return {
    nTokens: trace?.steps.filter(({ kind }) => kind !== null).length ?? 0,
    vocabSize: trace?.header.vocab_size ?? 0,
    nAllowed: step?.n_allowed ?? null,
    wanted: wanted ? visible(wanted[1]) : null,
    blocked: token !== null && store.candidate.value?.allowed === false ? token : null,
    grammar: trace?.header.grammar.text ?? "",
  };
}

const paneOf = (root: HTMLElement, panel: string) => root.querySelector<HTMLElement>(`[data-panel="${panel}"]`);

/** The pane's box, relative to the widget's root, as long as it is drawn; a pane behind a tab is brought to front. */
function usePane(root: HTMLElement, [panel, tab]: readonly [string, string]) {
  const box = useSignal<Box | null>(null);
  useEffect(() => {
    const reveal = () => {
      const tabs = [...root.querySelectorAll<HTMLElement>("[role=tab]")];
      tabs.find((one) => one.textContent?.trim() === tab)?.click();
    };
    if (!paneOf(root, panel)) reveal();
    paneOf(root, panel)?.scrollIntoView({ block: "nearest" });
    let frame = 0;
    const measure = () => {
      const pane = paneOf(root, panel)?.getBoundingClientRect();
      const { left, top } = root.getBoundingClientRect();
      const now = pane && { left: pane.left - left, top: pane.top - top, width: pane.width, height: pane.height };
      if (JSON.stringify(now ?? null) !== JSON.stringify(box.peek())) box.value = now ?? null;
    };
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(measure);
    };
    const sizes = new ResizeObserver(soon);
    sizes.observe(root);
    const nodes = new MutationObserver(soon);
    nodes.observe(root, { childList: true, subtree: true, attributeFilter: ["style", "class"] });
    measure();
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      nodes.disconnect();
    };
  }, [root, panel, tab, box]);
  return box;
}

export function Tour({ store, root, leave }: TourProps) {
  const shadow = root.getRootNode() as ShadowRoot;
  if (!shadow.adoptedStyleSheets.includes(sheet)) shadow.adoptedStyleSheets.push(sheet);
  const at = useSignal(0);
  const facts = useComputed(() => factsOf(store));
  const before = useRef(facts.peek());
  const card = CARDS[at.value] as Card;
  const pane = usePane(root, card.pane);
  const box = useRef<HTMLElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  const go = (to: number) => {
    if (to >= CARDS.length) return leave();
    before.current = facts.peek();
    at.value = Math.max(0, to);
  };
  const now = facts.value;
  useEffect(() => {
    if (card.isDone?.(before.current, now)) go(at.peek() + 1);
  }, [now, card]);
  useEffect(() => {
    const life = new AbortController();
    const keys = (event: KeyboardEvent) => {
      const target = event.composedPath()[0] as HTMLElement;
      if (isField(target) || event.altKey || event.ctrlKey || event.metaKey) return;
      const isOther = target instanceof HTMLButtonElement && target !== next.current;
      if (event.key === "Escape") leave();
      else if (event.key === "Enter" && !isOther) go(at.peek() + 1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    root.addEventListener("keydown", keys, { signal: life.signal, capture: true });
    // only where the reader is in the widget already: a tour that Python begins leaves the focus in the notebook
    if (shadow.activeElement) next.current?.focus({ preventScroll: true });
    return () => life.abort();
  }, [root]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !pane.value) return;
    const size = { width: element.offsetWidth, height: element.offsetHeight };
    const widget = { width: root.clientWidth, height: root.clientHeight };
    const { left, top } = placeBeside(pane.value, size, widget);
    const [x, y] = [`${left}px`, `${top}px`];
    if (element.style.left === x && element.style.top === y) return;
    Object.assign(element.style, { left: x, top: y });
    element.scrollIntoView({ block: "nearest" }); // where the widget is taller than its window
  }, [pane.value, now, card]);
  const ring = pane.value;
  const n = at.value + 1;
  return (
    <>
      {ring && (
        <div
          class="tour-ring"
          style={`left: ${ring.left}px; top: ${ring.top}px; width: ${ring.width}px; height: ${ring.height}px`}
        />
      )}
      <section class="float tour-card" aria-label={`Tour, ${n} of ${CARDS.length}`} data-tour={n} ref={box}>
        <div aria-live="polite">
          <h3>
            {card.title(now)}{" "}
            <span class="faint xs">
              {n} of {CARDS.length}
            </span>
          </h3>
          <p>{card.text(now)}</p>
        </div>
        <div class="row">
          <span class="dots" aria-hidden="true">
            {CARDS.map((one, k) => (
              <i key={one.title} class={k < n ? "on" : ""} />
            ))}
          </span>
          <button type="button" class="ghost" onClick={leave}>
            skip <kbd>esc</kbd>
          </button>
          {n > 1 && (
            <button type="button" class="ghost" onClick={() => go(at.peek() - 1)}>
              back
            </button>
          )}
          <button type="button" class="primary" ref={next} onClick={() => go(at.peek() + 1)}>
            {n === CARDS.length ? "done" : "next"} <kbd>⏎</kbd>
          </button>
        </div>
      </section>
    </>
  );
}
