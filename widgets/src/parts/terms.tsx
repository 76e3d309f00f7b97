// Words of ours, each with a card: what it means in plain words, then exactly, then here.
//
// Anything with `data-term` has one, in HTML and in drawings: one card a widget listens for the pointer and the focus. The list of keys holds
// all words, for whoever has no pointer over a drawing.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Store } from "../store";
import { prob } from "../text";
import type { Step } from "../wire";
import { words } from "../words";
import { zoomOf } from "./place";

const DWELL_MS = 250;
export const TERMS: Readonly<Record<string, { word: string; plain: string; exact: string }>> = words.terms;
export type TermName = keyof typeof words.terms;

/** A word with a card. */
export const Term = ({ of, children }: { of: TermName; children: ComponentChildren }) => (
  <button type="button" class="term" data-term={of}>
    {children}
  </button>
);

/** What a word is at the step under the cursor. */
function here(name: string, step: Step | null): string | null {
  if (step?.z == null) return null;
  if (name === "z") return `At step ${step.index} Z is ${prob(step.z)}: ${prob(1 - step.z)} of the mass is blocked.`;
  if (name === "kl" && step.kl !== null) return `At step ${step.index}: ${prob(step.kl)} nats.`;
  return null;
}

interface Open {
  name: string;
  left: number;
  place: string;
}
const WIDTH = 320;

/** The card of the word under the pointer, or with the focus. Escape closes it. */
export function TermCard({ store, root }: { store: Store | null; root: HTMLElement }) {
  const open = useSignal<Open | null>(null);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const life = new AbortController();
    let timer = 0;
    const find = (event: Event) => (event.composedPath()[0] as Element).closest?.("[data-term]");
    const show = (word: Element) => {
      const [box, at] = [root.getBoundingClientRect(), word.getBoundingClientRect()];
      const zoom = zoomOf(root);
      const left = Math.max(8, Math.min((at.left - box.left) / zoom, box.width / zoom - WIDTH - 8));
      // above the word where there is more room: a notebook's output clips what reaches past its edge
      const isBelow = box.bottom - at.bottom > at.top - box.top;
      const place = isBelow
        ? `top: ${(at.bottom - box.top) / zoom + 6}px`
        : `bottom: ${(box.bottom - at.top) / zoom + 6}px`;
      open.value = { name: word.getAttribute("data-term") as string, left, place };
    };
    const hide = () => {
      clearTimeout(timer);
      open.value = null;
    };
    const on = (type: string, listener: (event: Event) => void) =>
      root.addEventListener(type, listener, { signal: life.signal, capture: true });
    on("pointerover", (event) => {
      const word = find(event);
      clearTimeout(timer);
      if (word) timer = setTimeout(show, DWELL_MS, word);
      else if (!card.current?.contains(event.composedPath()[0] as Node)) hide();
    });
    on("pointerleave", (event) => event.target === root && hide());
    on("pointerdown", hide);
    on("focusin", (event) => {
      const word = find(event);
      if (word) show(word);
    });
    on("focusout", hide);
    on("keydown", (event) => {
      if ((event as KeyboardEvent).key !== "Escape" || !open.peek()) return;
      event.stopPropagation();
      hide();
    });
    life.signal.addEventListener("abort", () => clearTimeout(timer));
    return () => life.abort();
  }, [root]);
  const at = open.value;
  const term = at && TERMS[at.name];
  if (!at || !term) return null;
  const now = here(at.name, store?.step.value ?? null);
  return (
    <div class="float term-card" role="tooltip" ref={card} style={`left: ${at.left}px; ${at.place}`}>
      <b>{term.word}</b>
      <p>{term.plain}</p>
      <p class="faint">{term.exact}</p>
      {now && <p>{now}</p>}
    </div>
  );
}
