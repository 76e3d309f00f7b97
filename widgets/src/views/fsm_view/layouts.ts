// Layouts of machines, made once a rule: from the notebook's saved state, from Graphviz in its worker, or our own layers.
import { type Signal, signal } from "@preact/signals";
import { layouter } from "../../assets";
import { during } from "../../settled";
import type { Store } from "../../store";
import type { FsmGraph, FsmLayout } from "./layout/fsm";
import { fromPlain, layoutKey, packLayout, toDot, unpackLayout } from "./layout/graphviz";
import { layerLayout } from "./layout/layers";

export interface LayoutState {
  layout: FsmLayout | null;
  note: string;
}
const GRAPHVIZ_MOST = 160;
const made = new WeakMap<Store, Map<string, Signal<LayoutState>>>();

function saved(store: Store, key: string): FsmLayout | null {
  const text = store.link.handle.model.get("layouts")?.[key];
  return text ? unpackLayout(text) : null;
}

/** The layout of a graph, now or soon. It is asked for once; all views of the session share the answer. */
export function layoutOf(store: Store, graph: FsmGraph, down = false): Signal<LayoutState> {
  let mine = made.get(store);
  if (!mine) {
    mine = new Map();
    made.set(store, mine);
  }
  const key = layoutKey(graph, down);
  let state = mine.get(key);
  if (state) return state;
  const known = saved(store, key);
  state = signal<LayoutState>({ layout: known, note: "" });
  mine.set(key, state);
  if (known) return state;
  const own = (note: string) => {
    (state as Signal<LayoutState>).value = { layout: layerLayout(graph), note };
  };
  if (graph.nodes.length > GRAPHVIZ_MOST) own(`${graph.nodes.length} nodes, in layers`);
  else {
    const drawn = layouter(store.link.runtime)
      .then((layout) => layout(toDot(graph, down)))
      .then((plain) => {
        const layout = fromPlain(plain, graph);
        (state as Signal<LayoutState>).value = { layout, note: "" };
        store.tell("layouts", { ...store.link.handle.model.get("layouts"), [key]: packLayout(layout) });
      })
      .catch((error: Error) => own(`in layers: ${error.message}`));
    during("a layout", drawn);
  }
  return state;
}
