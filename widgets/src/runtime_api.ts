// What the bundle offers to the stubs that the widgets load.
import type { AnyModel } from "@anywidget/types";
import type { PadTraits, SessionTraits, ViewTraits } from "./wire";

/** What a Session stub's initialize() returns; it lives as long as the session, not as a view. */
export interface SessionHandle {
  model: AnyModel<SessionTraits>;
  signal: AbortSignal;
}
/** A pad's, likewise: its model is served by the same stub. */
export interface PadHandle {
  model: AnyModel<PadTraits>;
  signal: AbortSignal;
}
export interface Mounted {
  model: AnyModel<ViewTraits>;
  el: HTMLElement;
  signal: AbortSignal;
}
/** What the Runtime bundle's initialize() returns. */
export interface RuntimeApi {
  abi: 1;
  build: string;
  /** A view once it is drawn: SVG as text, PNG as a data URL. `scale`: pixels of the file to one of the page. */
  picture(find: () => HTMLElement | null | undefined, format: "svg" | "png", scale?: number): Promise<string>;
  /** A view of a session, of a pad, or of both. */
  mount(panel: string, session: SessionHandle | null, view: Mounted, pad: PadHandle | null): void;
}
