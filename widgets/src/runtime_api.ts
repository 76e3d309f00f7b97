// What the bundle offers to the stubs that the widgets load.
import type { AnyModel, RenderProps } from "@anywidget/types";
import type { PadTraits, SessionTraits, ViewTraits } from "./wire";

/** What the stub of a session gives: its model, which lives as long as the session, not as a view; and drawing a view of it. */
export interface SessionHandle {
  model: AnyModel<SessionTraits>;
  signal: AbortSignal;
  render(view: RenderProps<ViewTraits>): Promise<void>;
}
/** A pad's, likewise: its model is served by the same stub. */
export interface PadHandle extends Omit<SessionHandle, "model"> {
  model: AnyModel<PadTraits>;
}
export interface Mounted {
  model: AnyModel<ViewTraits>;
  el: HTMLElement;
  signal: AbortSignal;
}
/** What the Runtime bundle's initialize() returns. */
export interface RuntimeApi {
  /** A view once it is drawn: SVG as text, PNG as a data URL. `scale`: pixels of the file to one of the page. */
  picture(find: () => HTMLElement | null | undefined, format: "svg" | "png", scale?: number): Promise<string>;
  /** A view of a session, of a pad, or of both. */
  mount(panel: string, session: SessionHandle | null, view: Mounted, pad: PadHandle | null): void;
  /** The view of a stub: mounted, and again whenever it is given another session. */
  render(props: RenderProps<ViewTraits>): Promise<void>;
}
