// Figures of the whole trace, for views that show some: Python works them out, with pushes from when the first such view is there.
import { useEffect } from "preact/hooks";
import type { Store } from "../store";
import type { Figures } from "../wire";

/** Those of the trace that is shown; null until they are there, and where a recording has none. */
export function useFigures(store: Store): Figures | null {
  const line = store.link.line.value;
  useEffect(() => store.link.needFigures(), [store, line]);
  return store.link.trace.value?.figures ?? null;
}
