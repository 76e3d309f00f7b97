// What comes with pushes only while a view that shows it is in sight: masks, and figures of the whole trace.
import { effect, useSignalEffect } from "@preact/signals";
import { useContext, useEffect } from "preact/hooks";
import type { Watched } from "../link";
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

/** Masks of these steps, asked for while the view is in sight. */
export function useMasks(store: Store, steps: () => readonly number[]): void {
  const seen = useWatched(store, "bulk");
  useSignalEffect(() => {
    store.link.line.value;
    if (seen.value) for (const step of steps()) store.link.needBulk(step);
  });
}
