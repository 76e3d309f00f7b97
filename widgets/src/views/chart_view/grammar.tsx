// The switch between the grammar as written and the engine's, for views that draw either.
import { useEffect } from "preact/hooks";
import { Seg } from "../../parts/small";
import type { Store } from "../../store";
import type { Step, Trace } from "../../wire";
import { drawnOf, type Mode, modeOf, stepIn, writtenItem } from "./written";

const MODES = [
  ["written", "as written", "Items and machines of the grammar's rules as they are written"],
  ["engine", "engine", "The machines that run, and their items: rules inlined and rewritten, states merged"],
] as const;

/** The trace and the step to draw. */
export function drawnIn(store: Store, mode: Mode): { trace: Trace | null; step: Step | null } {
  const recorded = store.link.trace.value;
  const step = store.step.value;
  const trace = recorded && drawnOf(recorded, mode);
  return { trace, step: trace && step ? stepIn(trace, step) : step };
}

/**
 * The same, for a component. The kernel records the grammar as written from the moment on in which
 * the first view that draws it is `there`.
 */
export function useDrawn(store: Store, mode: Mode, there: boolean): { trace: Trace | null; step: Step | null } {
  const recorded = store.link.trace.value;
  const isWanted = there && recorded !== null && !recorded.as_written && store.link.line.value === "live";
  useEffect(() => {
    if (isWanted) store.link.channel.call("as_written").catch(() => undefined);
  }, [isWanted, store]);
  return drawnIn(store, mode);
}

/** Nothing where only the engine's is recorded. */
export function GrammarSwitch({ store }: { store: Store }) {
  const mode = modeOf(store);
  if (!store.link.trace.value?.as_written?.program) return null;
  return (
    <Seg
      label="Grammar"
      options={MODES}
      on={mode.value}
      pick={(on) => {
        mode.value = on;
        writtenItem(store).value = null;
      }}
    />
  );
}
