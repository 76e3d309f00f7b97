// A drawing along the steps as one control: a click and the arrow keys move the cursor, and only the cursor.
import type { ComponentChildren } from "preact";
import type { Store } from "../store";
import { placeIn } from "./place";

interface StepSliderProps {
  store: Pick<Store, "goTo">;
  n: number; // steps
  cursor: number;
  label: string;
  text?: string;
  cls: string;
  /** the step at so many pixels from the left */
  at: (x: number) => number | null | undefined;
  children: ComponentChildren;
}
export function StepSlider({ store, n, cursor, label, text, cls, at, children }: StepSliderProps) {
  const pick = (event: PointerEvent) => {
    if (event.type === "pointermove" && event.buttons === 0) return;
    const step = at(placeIn(event).x);
    if (step !== null && step !== undefined) store.goTo(step);
  };
  const keys = (event: KeyboardEvent) => {
    const to = { ArrowLeft: cursor - 1, ArrowRight: cursor + 1, Home: 0, End: n - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    store.goTo(to);
  };
  return (
    <div
      class={cls}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={n - 1}
      aria-valuenow={cursor}
      aria-valuetext={text}
      onPointerDown={pick}
      onPointerMove={pick}
      onKeyDown={keys}
    >
      {children}
    </div>
  );
}
