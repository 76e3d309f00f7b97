// What a view is: one definition, from which the page knows all of it. A view is a folder of views/ and a line in views/index.ts.
//
// Mounting finds a view by its name, the workbench puts it into a pane, the head of its panel has its title, the list of keys has its
// keys, and a view's box has its style sheet. See "Add a view" in CONTRIBUTING.md.
import type { AnyModel } from "@anywidget/types";
import { type ComponentType, createContext } from "preact";
import { inSight } from "./parts/in_sight";
import type { Store } from "./store";
import type { Trace, ViewTraits } from "./wire";

export interface PanelProps {
  store: Store;
  /** inside the workbench, which carries the transport itself */
  nested?: boolean;
}

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
  /** on top of the tabs of its pane for such a trace, as long as the reader has picked none */
  leads?: (trace: Trace) => boolean;
  /** its result in a few words, of what the page knows already: what its closed row in the narrow workbench says */
  says?: (store: Store) => string;
  keys?: readonly Keys[];
  /** its style sheet, imported from its folder */
  style?: string;
  /** it holds other views, which follow the session each by itself; any other view is drawn late while it is out of sight */
  holdsViews?: boolean;
}
export type View = Required<ViewDefinition>;

/** The views that the page knows, in the order of the list. */
export const Views = createContext<readonly View[]>([]);
/** The model of the mounted view, for what it was given beside its session. */
export const MountContext = createContext<AnyModel<ViewTraits> | null>(null);
/** The view that is being drawn: its panel has its name and title. */
export const Shown = createContext<View | null>(null);

export function defineView(definition: ViewDefinition): View {
  const { component, holdsViews = false, ...facts } = definition;
  const Drawn = holdsViews ? component : inSight(component);
  const view: View = {
    leads: () => false,
    says: () => "",
    keys: [],
    style: "",
    holdsViews,
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
