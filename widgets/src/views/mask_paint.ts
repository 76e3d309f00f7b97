// Painting of the mask: 262,144 cells in one frame.
//
// HOT  once a step and once a filter. A table of 8 classes × 256 probability codes holds the finished colours, so the loop reads two
//      bytes, looks up one word and writes it. Large cells (small vocabularies) are stamped from an atlas of shapes instead, so
//      that class is told by shape as well as by hue.
import type { Bulk } from "../bulk";
import {
  ACCEPTED,
  isAllowed,
  N_CLASSES,
  PADDING,
  REJECTED,
  SPECIAL,
  STOP_LEGAL,
  STOP_NOT_LEGAL,
  UNCERTAIN_ACCEPTED,
  UNCERTAIN_REJECTED,
} from "../bulk";
import { cellOf, type Grid } from "../layout/mask";

type Rgb = [number, number, number];
export interface Palette {
  key: string;
  paper: Rgb;
  classes: Rgb[];
  gained: Rgb;
  lost: Rgb;
}
const TOKENS = ["rejected", "accepted", "u-accepted", "u-rejected", "special", "stop", "stop", "padding"];
/** The class that keeps a pixel it has to share: rare ones first. */
const RARITY = [2, 0, 6, 6, 5, 7, 5, 1];
const SHAPES_FROM = 5;

/** Colours as the page resolves them: light-dark() and color-mix() are known to computed styles alone. */
export function paletteOf(root: HTMLElement): Palette {
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
    gained: rgb("teal"),
    lost: rgb("mark"),
  };
  probe.remove();
  palette.key = JSON.stringify(palette);
  return palette;
}

const mix = (a: Rgb, b: Rgb, t: number): Rgb =>
  [0, 1, 2].map((k) => Math.round((a[k] as number) + ((b[k] as number) - (a[k] as number)) * t)) as Rgb;
/** Lightness by probability: a floor that keeps the class visible, then the whole range of codes. */
const strength = (cls: number, code: number): number => {
  if (cls === UNCERTAIN_ACCEPTED || cls === UNCERTAIN_REJECTED || cls === STOP_LEGAL || cls === STOP_NOT_LEGAL)
    return 0.55 + 0.45 * (code / 255);
  if (cls === PADDING) return 0.3;
  const t = (code / 255) ** 1.3;
  return cls === REJECTED ? 0.16 + 0.7 * t : 0.16 + 0.84 * t;
};
const word = ([r, g, b]: Rgb): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

const tables = new Map<string, Uint32Array>();
function tableOf(palette: Palette): Uint32Array {
  let table = tables.get(palette.key);
  if (!table) {
    table = new Uint32Array(N_CLASSES * 256);
    for (let cls = 0; cls < N_CLASSES; cls++) {
      for (let code = 0; code < 256; code++)
        table[(cls << 8) | code] = word(mix(palette.paper, palette.classes[cls] as Rgb, strength(cls, code)));
    }
    tables.set(palette.key, table);
  }
  return table;
}

export interface MaskPicture {
  grid: Grid;
  bulk: Bulk;
  /** token ids in trie order */
  order: Uint32Array;
  palette: Palette;
  /** classes to show alone, or null for all */
  only: readonly number[] | null;
  /** the step before, to show what changed */
  before: Bulk | null;
}

/** One word a cell, for grids of small cells. */
function pixels(picture: MaskPicture): Uint32Array<ArrayBuffer> {
  const { grid, bulk, order, palette, only, before } = picture;
  const table = tableOf(palette);
  const out = new Uint32Array(grid.columns * grid.rows).fill(word(palette.paper));
  const { provenance, probability } = bulk;
  if (before) {
    const gained = word(palette.gained);
    const lost = word(mix(palette.paper, palette.lost, 0.6));
    for (let rank = 0; rank < grid.n; rank++) {
      const id = order[rank] as number;
      const now = isAllowed(provenance[id] as number);
      if (now !== isAllowed(before.provenance[id] as number)) out[Math.floor(rank / grid.pooled)] = now ? gained : lost;
    }
    return out;
  }
  const held = grid.pooled > 1 ? new Int8Array(out.length).fill(-1) : null;
  for (let rank = 0; rank < grid.n; rank++) {
    const id = order[rank] as number;
    const cls = provenance[id] as number;
    if (only && !only.includes(cls)) continue;
    const at = held ? Math.floor(rank / grid.pooled) : rank;
    if (held) {
      if ((held[at] as number) >= (RARITY[cls] as number)) continue;
      held[at] = RARITY[cls] as number;
    }
    out[at] = table[(cls << 8) | (probability[id] as number)] as number;
  }
  return out;
}

/** Rare cells get a body of three pixels, so that one token in 262,144 can be seen. */
function swell(context: CanvasRenderingContext2D, picture: MaskPicture): void {
  const { grid, bulk, order, palette, only } = picture;
  const rare = [UNCERTAIN_ACCEPTED, UNCERTAIN_REJECTED, STOP_LEGAL, ACCEPTED].filter(
    (cls) => (bulk.counts[cls] ?? 0) > 0 && (bulk.counts[cls] ?? 0) <= grid.n / 256,
  );
  if (rare.length === 0) return;
  for (let rank = 0; rank < grid.n; rank++) {
    const cls = bulk.provenance[order[rank] as number] as number;
    if (!rare.includes(cls) || (only && !only.includes(cls))) continue;
    const { x, y } = cellOf(grid, rank);
    context.fillStyle = `rgb(${palette.classes[cls]})`;
    if (cls === UNCERTAIN_REJECTED) {
      context.fillRect(x - 1, y, 3, 1);
      context.fillRect(x, y - 1, 1, 3);
    } else context.fillRect(x - 1, y - 1, 3, 3);
  }
}

/** The shape of a class in a cell of `s` device pixels: filled where it may be sampled, struck or hollow where not. */
function stamp(g: CanvasRenderingContext2D, cls: number, colour: string, x: number, y: number, s: number): void {
  const pad = s * 0.12;
  const mid = s / 2;
  const r = mid - pad * 0.6;
  g.fillStyle = colour;
  g.strokeStyle = colour;
  g.lineWidth = Math.max(1, s * 0.1);
  g.beginPath();
  if (cls === ACCEPTED) g.fillRect(x + s * 0.07, y + s * 0.07, s * 0.86, s * 0.86);
  else if (cls === PADDING) g.strokeRect(x + pad, y + pad, s - 2 * pad, s - 2 * pad);
  else if (cls === UNCERTAIN_ACCEPTED || cls === UNCERTAIN_REJECTED) {
    g.moveTo(x + mid, y + mid - r);
    g.lineTo(x + mid + r, y + mid);
    g.lineTo(x + mid, y + mid + r);
    g.lineTo(x + mid - r, y + mid);
    g.closePath();
    if (cls === UNCERTAIN_ACCEPTED) g.fill();
    else {
      g.moveTo(x + s * 0.32, y + s * 0.68);
      g.lineTo(x + s * 0.68, y + s * 0.32);
      g.stroke();
    }
  } else if (cls === STOP_LEGAL || cls === STOP_NOT_LEGAL) {
    g.arc(x + mid, y + mid, mid - pad, 0, 7);
    g.stroke();
    g.beginPath();
    g.arc(x + mid, y + mid, s * 0.14, 0, 7);
    g.fill();
  } else if (cls === SPECIAL) {
    g.moveTo(x + mid, y + pad);
    g.lineTo(x + s - pad, y + s - pad);
    g.lineTo(x + pad, y + s - pad);
    g.fill();
  } else g.fillRect(x + s * 0.3, y + s * 0.3, s * 0.4, s * 0.4);
}

const css = (value: number): string => `rgb(${value & 255},${(value >> 8) & 255},${(value >> 16) & 255})`;

function shapes(context: CanvasRenderingContext2D, picture: MaskPicture, ratio: number): void {
  const { grid, bulk, order, palette, only, before } = picture;
  const table = tableOf(palette);
  const s = grid.cell * ratio;
  for (let rank = 0; rank < grid.n; rank++) {
    const id = order[rank] as number;
    const cls = bulk.provenance[id] as number;
    const { x, y } = cellOf(grid, rank);
    if (before) {
      const now = isAllowed(cls);
      if (now !== isAllowed(before.provenance[id] as number))
        stamp(context, now ? 1 : 0, `rgb(${now ? palette.gained : palette.lost})`, x * ratio, y * ratio, s);
    } else if (!only || only.includes(cls)) {
      stamp(context, cls, css(table[(cls << 8) | (bulk.probability[id] as number)] as number), x * ratio, y * ratio, s);
    }
  }
}

export function paintMask(canvas: HTMLCanvasElement, picture: MaskPicture): void {
  const { grid, palette } = picture;
  const large = grid.cell >= SHAPES_FROM;
  const ratio = large ? Math.min(3, window.devicePixelRatio || 1) : 1;
  const [w, h] = large ? [grid.columns * grid.cell * ratio, grid.rows * grid.cell * ratio] : [grid.columns, grid.rows];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  if (large) {
    context.fillStyle = `rgb(${palette.paper})`;
    context.fillRect(0, 0, w, h);
    shapes(context, picture, ratio);
    return;
  }
  context.putImageData(new ImageData(new Uint8ClampedArray(pixels(picture).buffer), w, h), 0, 0);
  if (grid.cell === 1 && !picture.before) swell(context, picture);
}
