// What a view is: one definition, from which the page knows all of it. A view is a folder of views/ and a line in views/index.ts.
//
// Mounting finds a view by its name, the workbench puts it into its place, the head of its panel has its title, the list of keys has its
// keys, and a view's box has its style sheet. See "Add a view" in CONTRIBUTING.md.
import { type ComponentType, createContext } from "preact";
import { inSight } from "./parts/in_sight";
import type { Store } from "./store";
import type { Trace } from "./wire";

export interface PanelProps {
  store: Store;
  /** inside the workbench, which carries the transport itself */
  nested?: boolean;
}

/** The places of the workbench, in the order of alt 1, alt 2, … A place with several views has them as tabs. */
export const PLACES = ["tape", "machine", "chart", "cost", "mask", "why", "source", "examples", "dist"] as const;
export type Place = (typeof PLACES)[number];

/** Does what a key stands for, wherever in the widget it was pressed; whether there was something to do. */
export type Act = (key: string, store: Store, root: HTMLElement) => boolean;
/** A line in the list of keys, and what they do. Without `on` it tells of keys that the view handles in its own elements. */
export interface Keys {
  /** as the reader sees them */
  keys: string;
  what: string;
  /** values of `KeyboardEvent.key` */
  on?: readonly string[];
  act?: Act;
}

export interface ViewDefinition {
  /** as Python says it: `View.PANEL` */
  name: string;
  /** the heading of its panel, and its tab */
  title: string;
  component: ComponentType<PanelProps>;
  /** where it stands in the workbench; null: nowhere */
  place: Place | null;
  /** shown first in its place for such a trace, though others stand before it */
  leads?: (trace: Trace) => boolean;
  keys?: readonly Keys[];
  /** its style sheet, imported from its folder */
  style?: string;
  /** it holds other views, which follow the session each by itself; any other view is drawn late while it is out of sight */
  holdsViews?: boolean;
}
export interface View extends Required<Omit<ViewDefinition, "leads" | "holdsViews">> {
  leads: (trace: Trace) => boolean;
}

/** The views that the page knows, in the order of the list. */
export const Views = createContext<readonly View[]>([]);
/** The view that is being drawn: its panel has its name and title. */
export const Shown = createContext<View | null>(null);

export function defineView(definition: ViewDefinition): View {
  const { component, holdsViews = false, ...facts } = definition;
  const Drawn = holdsViews ? component : inSight(component);
  const view: View = {
    leads: () => false,
    keys: [],
    style: "",
    ...facts,
    component: (props) => (
      <Shown.Provider value={view}>
        <Drawn {...props} />
      </Shown.Provider>
    ),
  };
  return view;
}

const part = (root: HTMLElement, key: string) => root.querySelector<HTMLElement>(`[data-key="${key}"]`);
/** For a key of a view: presses the button that has it as `data-key`. */
export const press: Act = (key, _store, root) => {
  const button = part(root, key);
  button?.click();
  return button !== null;
};
/** For a key of a view: goes to the field that has it as `data-key`. */
export const focus: Act = (key, _store, root) => {
  const field = part(root, key);
  field?.focus();
  (field as HTMLInputElement | null)?.select?.();
  return field !== null;
};
