// The pad of a mounted view, for the views that edit and for the workbench, which has panes for them.
import { createContext } from "preact";
import type { Channel } from "../rpc";
import type { PadHandle } from "../runtime_api";
import type { RuntimeRequests } from "../wire";

export interface PadPlace {
  handle: PadHandle | null;
  runtime: Channel<RuntimeRequests>;
  /** where styles and floats of the view live */
  shadow: ShadowRoot;
}
/** The pad that a mounted view belongs to. */
export const PadContext = createContext<PadPlace | null>(null);
