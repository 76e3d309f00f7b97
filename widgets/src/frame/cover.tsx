// What a presenter's class sees of a pane before it is revealed: its head, and a button in place of the view, which is not mounted.
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { PaneContext } from "../parts/pane";
import type { Store } from "../store";
import type { FrameState } from "./state";

interface CoverProps {
  store: Store;
  frame: FrameState;
  view: string;
  children: ComponentChildren;
}
export function Cover({ store, frame, view, children }: CoverProps) {
  const pane = useContext(PaneContext);
  // the tape stays: its column at the cursor is empty
  if (view === "tape" || !frame.isCovered(view, store)) return <>{children}</>;
  const title = frame.titleOf(view);
  return (
    <section class="panel covered" data-panel={view.replaceAll("_", "-")} aria-label={title} tabIndex={-1}>
      <header class="head">
        {pane?.start}
        {pane?.end}
      </header>
      <button type="button" onClick={() => frame.uncover(store, view)}>
        Reveal {title} <kbd>.</kbd>
      </button>
    </section>
  );
}
