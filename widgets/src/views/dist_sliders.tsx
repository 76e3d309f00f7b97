// Three sliders that act in the page: what a sampler with these options would draw from. Python hears nothing of them.
import type { Signal } from "@preact/signals";
import type { Sampler } from "../layout/dist";

const TEMPERATURES = Array.from({ length: 41 }, (_, k) => k / 20);
const TOP_P = [...Array.from({ length: 18 }, (_, k) => (k + 1) / 20), 0.95, 0.98, 0.99, 1];
const TOP_K = [1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 40, 50, 80, 100, 200, 500, 1000, 0];

/** The place of a value among those a slider has; one between them stands at the nearest. */
export function nearest(values: readonly number[], value: number): number {
  let best = 0;
  values.forEach((v, k) => {
    if (Math.abs(v - value) < Math.abs((values[best] as number) - value)) best = k;
  });
  return best;
}

interface SliderProps {
  name: string;
  about: string;
  values: readonly number[];
  value: number;
  text: string;
  off: boolean;
  change: (value: number) => void;
}
const Slider = ({ name, about, values, value, text, off, change }: SliderProps) => (
  <label class="slider" title={about}>
    {name}
    <input
      type="range"
      min="0"
      max={values.length - 1}
      value={
        name === "top-k"
          ? value === 0
            ? values.length - 1
            : nearest(values.slice(0, -1), value)
          : nearest(values, value)
      }
      aria-label={about}
      aria-valuetext={text}
      disabled={off}
      onInput={(event) => change(values[Number(event.currentTarget.value)] as number)}
    />
    <output>{text}</output>
  </label>
);

export function Sliders({ sampler, now, off }: { sampler: Signal<Sampler | null>; now: Sampler; off: boolean }) {
  const set = (parts: Partial<Sampler>) => {
    sampler.value = { ...now, ...parts };
  };
  return (
    <div class="sliders">
      <Slider
        name="T"
        about="Temperature"
        values={TEMPERATURES}
        value={now.temperature}
        text={now.temperature === 0 ? "greedy" : now.temperature.toFixed(2)}
        off={off}
        change={(temperature) => set({ temperature })}
      />
      <Slider
        name="top-p"
        about="Top-p: the fewest tokens that reach this share"
        values={TOP_P}
        value={now.top_p}
        text={now.top_p === 1 ? "off" : now.top_p.toFixed(2)}
        off={off}
        change={(top_p) => set({ top_p })}
      />
      <Slider
        name="top-k"
        about="Top-k: so many of the most probable allowed tokens"
        values={TOP_K}
        value={now.top_k}
        text={now.top_k === 0 ? "off" : String(now.top_k)}
        off={off}
        change={(top_k) => set({ top_k })}
      />
    </div>
  );
}
