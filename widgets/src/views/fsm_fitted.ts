// Which way a machine lies in its cell: across or down, its facts beside it or below.
import { useMemo } from "preact/hooks";
import type { FsmGraph } from "../layout/fsm";
import { type Fitted, fitted, tooWide } from "../layout/fsm_fit";
import type { Store } from "../store";
import { PAD } from "./fsm_graph";
import { type LayoutState, layoutOf } from "./fsm_layouts";

const WIDE = 720;
/** what the facts of the mask entry take beside the drawing, with the gap: `.fsm-grid.wide` */
const FACTS_WIDTH = 232;

interface Fit {
  state: LayoutState;
  fit: Fitted | null;
  beside: boolean; // whether the facts stand beside the machine
}

/** From left to right with the facts beside it, or below if that makes it fit; in a narrow cell downwards; else it scrolls. */
export function useFitted(store: Store, graph: FsmGraph, width: number): Fit {
  const across: LayoutState = layoutOf(store, graph).value;
  const { layout } = across;
  const full = width - PAD.x - PAD.right - 2;
  const wide = width > WIDE;
  const fits = useMemo(
    () => layout && { tight: fitted(layout, graph, full - FACTS_WIDTH), full: fitted(layout, graph, full) },
    [layout, graph, full],
  );
  const narrow = !wide && fits?.full.layout.by === "graphviz" && tooWide(fits.full, graph, full);
  const turned = narrow ? layoutOf(store, graph, true).value : null;
  const down = useMemo(
    () => (turned?.layout?.by === "graphviz" ? fitted(turned.layout, graph, full) : null),
    [turned?.layout, graph, full],
  );
  if (!fits) return { state: across, fit: null, beside: wide };
  if (wide && !tooWide(fits.tight, graph, full - FACTS_WIDTH)) return { state: across, fit: fits.tight, beside: true };
  const fit = down && !tooWide(down, graph, full) ? down : fits.full;
  return { state: across, fit, beside: false };
}
