// A view that draws at once when it can be seen, and when the page is idle where it can't.
//
// Ten views of one session follow one selection; a reader sees two or three of them. The one that is pointed at or has the focus
// comes first, in the same frame; the others in sight follow it one by one (in_turn.ts), so that the next move never waits for all of
// them. The rest catch up before anybody scrolls there, and a view that comes into sight is brought up to date at once. A new step is
// no selection: whatever is in sight shows it together.
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { type ComponentType, createContext } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { begin } from "../settled";
import type { Store } from "../store";
import { gated } from "./gate";
import { inTurn, outOfTurn } from "./in_turn";

const IDLE_MS = 250;

/** The store as one view reads it: the same values, later while `seen` is false. Commands and choices go to the store itself. */
function storeInSight(
  store: Store,
  seen: ReadonlySignal<boolean>,
  leads: () => boolean,
): { own: Store; stop: () => void } {
  if (!store) return { own: store, stop: () => undefined }; // a pad without a session
  const gate = gated(store);
  const { trace } = store.link;
  let idle = 0;
  let end = () => {};
  let drawn = trace.peek();
  const catchUp = () => {
    cancelIdleCallback(idle);
    outOfTurn(catchUp);
    idle = 0;
    end();
    drawn = trace.peek();
    gate.catchUp();
  };
  const stop = effect(() => {
    gate.touch();
    if (seen.value && (trace.peek() !== drawn || leads())) catchUp();
    else if (seen.value) inTurn(catchUp);
    else if (idle === 0) {
      end = begin("a view out of sight");
      idle = requestIdleCallback(catchUp, { timeout: IDLE_MS });
    }
  });
  return {
    own: gate.own,
    stop: () => {
      stop();
      cancelIdleCallback(idle);
      outOfTurn(catchUp);
      end();
    },
  };
}

interface InSight {
  /** A panel tells its element: the one whose `content-visibility: auto` decides. */
  watch: (panel: HTMLElement | null) => void;
  seen: ReadonlySignal<boolean>;
}
/** Whether the view in which a part stands is in sight. */
export const Sight = createContext<InSight>({ watch: () => undefined, seen: signal(true) });

/** A view, drawn first where it can be seen. */
export function inSight<P extends { store: Store }>(View: ComponentType<P>): ComponentType<P> {
  return (props: P) => {
    const { store } = props;
    const gate = useMemo(() => {
      const seen = signal(true);
      const changed = (event: ContentVisibilityAutoStateChangeEvent) => {
        if (event.target === event.currentTarget) seen.value = !event.skipped;
      };
      let own: HTMLElement | null = null;
      const watch: InSight["watch"] = (panel) => {
        own = panel;
        panel?.addEventListener("contentvisibilityautostatechange", changed as EventListener);
      };
      const leads = () => own?.matches(":hover, :focus-within") ?? true;
      return { watch, seen, ...storeInSight(store, seen, leads) };
    }, [store]);
    useEffect(() => gate.stop, [gate]);
    return (
      <Sight.Provider value={gate}>
        <View {...props} store={gate.own} />
      </Sight.Provider>
    );
  };
}
