// What the bundle offers to the stubs that the widgets load.
import type { AnyModel } from "@anywidget/types";
import type { SessionTraits, ViewTraits } from "./wire";

/** What a Session stub's initialize() returns; it lives as long as the session, not as a view. */
export interface SessionHandle {
  model: AnyModel<SessionTraits>;
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
  mount(panel: string, session: SessionHandle, view: Mounted): void;
}
