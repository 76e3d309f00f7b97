// Which way a machine lies in its cell: across or down, its facts beside it or below.
import { useContext, useMemo } from "preact/hooks";
import { PaneContext } from "../../parts/pane";
import type { Store } from "../../store";
import { PAD } from "./graph";
import { type Fitted, fitted, tooWide } from "./layout/fit";
import type { FsmGraph } from "./layout/fsm";
import { type LayoutState, layoutOf } from "./layouts";

const WIDE = 720;
/** what the facts of the mask entry take beside the drawing, with the gap: `.fsm-grid.wide` */
const FACTS_WIDTH = 232;

interface Fit {
  state: LayoutState;
  fit: Fitted | null;
  beside: boolean; // whether the facts stand beside the machine
}

/** what the box shows without scrolling down: `.fsm-box` */
const MOST_HEIGHT = 560;
/** of a pane: its head, and the body's insets */
const HEAD = 49;

/** From left to right with the facts beside it, or below if that makes it fit; else downwards, in a wide cell as far as the box reaches. */
export function useFitted(store: Store, graph: FsmGraph, width: number, facts = FACTS_WIDTH): Fit {
  // a low pane of the workbench has no room for a machine that lies downwards
  const pane = useContext(PaneContext)?.height ?? null;
  const most = pane === null ? MOST_HEIGHT : pane - HEAD;
  const across: LayoutState = layoutOf(store, graph).value;
  const { layout } = across;
  const full = width - PAD.x - PAD.right - 2;
  const wide = width > WIDE;
  const fits = useMemo(
    () => layout && { tight: fitted(layout, graph, full - facts), full: fitted(layout, graph, full) },
    [layout, graph, full, facts],
  );
  const room = wide ? full - facts : full;
  const turns = fits?.full.layout.by === "graphviz" && tooWide(fits.full, graph, full);
  const turned = turns ? layoutOf(store, graph, true).value : null;
  const down = useMemo(
    () => (turned?.layout?.by === "graphviz" ? fitted(turned.layout, graph, room) : null),
    [turned?.layout, graph, room],
  );
  const high = (down?.layout.height ?? 0) + PAD.top + PAD.bottom;
  if (!fits) return { state: across, fit: null, beside: wide };
  if (wide && !tooWide(fits.tight, graph, full - facts)) return { state: across, fit: fits.tight, beside: true };
  const isDown = down && !tooWide(down, graph, room) && ((!wide && pane === null) || high <= most);
  return { state: across, fit: isDown ? down : fits.full, beside: wide && isDown === true };
}
