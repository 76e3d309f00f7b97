// What comes with pushes only while a view that shows it is in sight: masks, and figures of the whole trace.
import { effect, useSignalEffect } from "@preact/signals";
import { useContext, useEffect, useRef } from "preact/hooks";
import type { Watched } from "../link";
import { begin } from "../settled";
import type { Store } from "../store";
import type { Figures } from "../wire";
import { Sight } from "./in_sight";

/** The kernel sends it as long as the view that calls this is in sight. Returns whether the view is in sight. */
function useWatched(store: Store, what: Watched) {
  const { seen } = useContext(Sight);
  useEffect(() => effect(() => (seen.value ? store.link.watch(what) : undefined)), [store, seen]);
  return seen;
}

/** Those of the trace that is shown; null until they are there, and where a recording has none. */
export function useFigures(store: Store): Figures | null {
  useWatched(store, "figures");
  return store.link.trace.value?.figures ?? null;
}

const REST_MS = 120;

/**
 * Masks of these steps, asked for while the view is in sight. A click is answered at once; while the cursor scrubs, masks that the page
 * does not have are left out, since each costs a frame, and the one where the cursor rests is asked for.
 */
export function useMasks(store: Store, steps: () => readonly number[]): void {
  const seen = useWatched(store, "bulk");
  const changed = useRef(Number.NEGATIVE_INFINITY);
  useSignalEffect(() => {
    store.link.line.value;
    if (!seen.value) return;
    const wanted = steps();
    const ask = () => {
      for (const step of wanted) store.link.needBulk(step);
    };
    const scrubs = performance.now() - changed.current < REST_MS;
    changed.current = performance.now();
    if (!scrubs) return ask();
    const rested = begin("a rest");
    const timer = setTimeout(() => {
      ask();
      rested();
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      rested();
    };
  });
}
