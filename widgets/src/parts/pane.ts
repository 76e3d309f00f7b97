// What a panel knows of the pane that it stands in: the head's two ends, and its size. A panel alone in a cell has none.
import { type ComponentChildren, createContext } from "preact";

/** A pane of the tape alone that is lower than this has no head: its rows need the room. */
export const BARE = 180;
export interface Pane {
  /** in place of the heading: the heading, the tabs of the pane, or the row's button */
  start: ComponentChildren;
  /** at the end of the head */
  end: ComponentChildren;
  width: number;
  /** null: as high as its content, as in a row of the accordion */
  height: number | null;
}
export const PaneContext = createContext<Pane | null>(null);

/** What a view may ask of the workbench round it. */
export interface FrameActions {
  /** Bring a view to the front, and open it if it is closed and may be opened. */
  show(view: string): void;
}
export const FrameContext = createContext<FrameActions | null>(null);
