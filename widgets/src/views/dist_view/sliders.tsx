// Three sliders that act in the page: what a sampler with these options would draw from. Python hears nothing of them.
import type { Signal } from "@preact/signals";
import type { Sampler } from "./layout/dist";

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

interface Kind {
  option: "temperature" | "top_p" | "top_k";
  name: string;
  about: string;
  values: readonly number[];
  text: (value: number) => string;
}
const KINDS: readonly Kind[] = [
  {
    option: "temperature",
    name: "T",
    about: "Temperature",
    values: TEMPERATURES,
    text: (value) => (value === 0 ? "greedy" : value.toFixed(2)),
  },
  {
    option: "top_p",
    name: "top-p",
    about: "Top-p: the fewest tokens that reach this share",
    values: TOP_P,
    text: (value) => (value === 1 ? "off" : value.toFixed(2)),
  },
  {
    option: "top_k",
    name: "top-k",
    about: "Top-k: so many of the most probable allowed tokens",
    values: TOP_K,
    text: (value) => (value === 0 ? "off" : String(value)),
  },
];

export const Sliders = ({ sampler, now, off }: { sampler: Signal<Sampler | null>; now: Sampler; off: boolean }) => (
  <div class="sliders">
    {KINDS.map(({ option, name, about, values, text }) => (
      <Slider
        key={option}
        name={name}
        about={about}
        values={values}
        value={now[option]}
        text={text(now[option])}
        off={off}
        change={(value) => {
          sampler.value = { ...now, [option]: value };
        }}
      />
    ))}
  </div>
);
