// A place of the workbench that several views share: their names are tabs in the head of the one on top, the others are not mounted.
import { useSignal } from "@preact/signals";
import { createContext } from "preact";
import { useRef } from "preact/hooks";
import type { Store } from "../store";
import type { View } from "../view";
import { useFocusNext } from "./focus_next";

interface PlaceTabs {
  titles: readonly string[];
  on: string;
  pick: (title: string) => void;
}
/** Set where a panel stands among others; a panel alone has its title as heading. */
export const Place = createContext<PlaceTabs | null>(null);

/** The tab `by` places on, in a circle. */
const beside = ({ titles, on }: PlaceTabs, by: number): string =>
  titles[(titles.indexOf(on) + by + titles.length) % titles.length] as string;

export function Tabs(place: PlaceTabs) {
  const list = useRef<HTMLSpanElement>(null);
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.shiftKey || event.altKey) return;
    event.preventDefault();
    place.pick(beside(place, by));
  };
  return (
    <span class="tabs" role="tablist" aria-label="Views in this place" ref={list} onKeyDown={keys}>
      {place.titles.map((title) => (
        <button
          key={title}
          type="button"
          role="tab"
          aria-selected={title === place.on}
          tabIndex={title === place.on ? 0 : -1}
          onClick={() => place.pick(title)}
        >
          {title}
        </button>
      ))}
    </span>
  );
}

interface TabbedProps {
  store: Store;
  name: string;
  /** the digit that leads here */
  number: number;
  views: readonly View[];
  /** the tab on top as long as the reader has picked none */
  first: string;
}
/** One place: its view, or the one of its views that was picked last. */
export function Tabbed(props: TabbedProps) {
  const titles = props.views.map((view) => view.title);
  const picked = useSignal<string | null>(null);
  const on = picked.value ?? props.first;
  const box = useRef<HTMLDivElement>(null);
  // the head of another view has tabs of its own: the focus goes to the one that was picked
  const focusTab = useFocusNext(() => box.current?.querySelector<HTMLElement>("[role=tab][aria-selected=true]"));
  const pick = (title: string) => {
    picked.value = title;
    focusTab();
  };
  const { component: Shown } = props.views[titles.indexOf(on)] as View;
  return (
    <div class="place" ref={box} data-place={props.name} data-number={props.number}>
      <Place.Provider value={titles.length > 1 ? { titles, on, pick } : null}>
        <Shown store={props.store} nested />
      </Place.Provider>
    </div>
  );
}
