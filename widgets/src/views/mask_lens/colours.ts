// Colours of the mask: a class by hue, a probability by lightness, finished in a table of classes × 256 codes.
import {
  BOTH,
  N_CODES,
  NEITHER,
  PADDING,
  REJECTED,
  STOP_LEGAL,
  STOP_NOT_LEGAL,
  UNCERTAIN_ACCEPTED,
  UNCERTAIN_REJECTED,
} from "../../bulk";

export type Rgb = [number, number, number];

export interface Palette {
  key: string;
  paper: Rgb;
  classes: Rgb[];
}

export const TOKENS = [
  "rejected",
  "accepted",
  "u-accepted",
  "u-rejected",
  "special",
  "stop",
  "stop",
  "padding",
  "mark",
  "mark",
  "amber",
  "blue",
];

/** Blocked tokens in two colours: they are seen on a field of allowed ones, and among blocked ones the allowed are. */
const BLOCKED = "vermillion";

export const palettes = new WeakMap<HTMLElement, { at: number; palette: Palette; two: Palette }>();

/** Colours as the page resolves them: light-dark() and color-mix() are known to computed styles alone. Asked once a theme. */
export function paletteOf(root: HTMLElement, theme: number, twoColours = false): Palette {
  const known = palettes.get(root);
  if (known?.at === theme) return twoColours ? known.two : known.palette;
  const probe = root.appendChild(document.createElement("i"));
  const rgb = (name: string): Rgb => {
    probe.style.color = `var(--xg-${name})`;
    const text = getComputedStyle(probe).color;
    const n = (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
    return (text.startsWith("color(") ? n.map((x) => Math.round(x * 255)) : n) as Rgb;
  };
  const palette: Palette = {
    key: "",
    paper: rgb("sunken"),
    classes: TOKENS.map(rgb),
  };
  const two: Palette = { ...palette, classes: palette.classes.with(REJECTED, rgb(BLOCKED)) };
  probe.remove();
  palette.key = JSON.stringify(palette);
  two.key = JSON.stringify(two);
  palettes.set(root, { at: theme, palette, two });
  return twoColours ? two : palette;
}

export const mix = (a: Rgb, b: Rgb, t: number): Rgb =>
  [0, 1, 2].map((k) => Math.round((a[k] as number) + ((b[k] as number) - (a[k] as number)) * t)) as Rgb;

/** Lightness by probability: a floor that keeps the class visible, then the whole range of codes. */
export const strength = (cls: number, code: number): number => {
  if (cls === UNCERTAIN_ACCEPTED || cls === UNCERTAIN_REJECTED || cls === STOP_LEGAL || cls === STOP_NOT_LEGAL)
    return 0.55 + 0.45 * (code / 255);
  if (cls === PADDING) return 0.3;
  if (cls >= NEITHER) return cls === NEITHER ? 0.1 : cls === BOTH ? 0.5 : 1;
  const t = (code / 255) ** 1.3;
  return cls === REJECTED ? 0.16 + 0.7 * t : 0.16 + 0.84 * t;
};

export const word = ([r, g, b]: Rgb): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

export const tables = new Map<string, Uint32Array>();

export function tableOf(palette: Palette): Uint32Array {
  let table = tables.get(palette.key);
  if (!table) {
    table = new Uint32Array(N_CODES * 256);
    for (let cls = 0; cls < N_CODES; cls++) {
      for (let code = 0; code < 256; code++)
        table[(cls << 8) | code] = word(mix(palette.paper, palette.classes[cls] as Rgb, strength(cls, code)));
    }
    tables.set(palette.key, table);
  }
  return table;
}

export const css = (value: number): string => `rgb(${value & 255},${(value >> 8) & 255},${(value >> 16) & 255})`;
