// Painting of the mask: 262,144 cells in one frame.
//
// HOT  once a step and once a filter. A table of classes × 256 probability codes holds the finished colours, so the loop reads two
//      bytes, looks up one word and writes it. Large cells (small vocabularies) are stamped from an atlas of shapes instead, so
//      that class is told by shape as well as by hue.
import type { Bulk } from "../../bulk";
import {
  ACCEPTED,
  BOTH,
  isAllowed,
  N_CODES,
  NEITHER,
  ONLY_A,
  ONLY_B,
  PADDING,
  REJECTED,
  SPECIAL,
  STOP_LEGAL,
  STOP_NOT_LEGAL,
  UNCERTAIN_ACCEPTED,
  UNCERTAIN_REJECTED,
} from "../../bulk";
import { css, type Palette, tableOf, word } from "./colours";
import { cellOf, type Grid } from "./layout/mask";

/** The class that keeps a pixel it has to share: rare ones first. */
const RARITY = [2, 0, 6, 6, 5, 7, 5, 1, 0, 1, 7, 7];
const SHAPES_FROM = 5;

/** Cells of a session without a model: none is more probable than another, and a strong hue tells classes apart. */
const WITHOUT_MODEL = 190;
/** What is painted of a mask. In two colours a token is allowed or blocked, and nothing else is told. */
export function painted(bulk: Bulk, modelled: boolean, twoColours: boolean): Bulk {
  if (modelled && !twoColours) return bulk;
  const n = bulk.provenance.length;
  const probability = new Uint8Array(n).fill(twoColours ? 255 : WITHOUT_MODEL);
  if (!twoColours) return { ...bulk, probability };
  const provenance = bulk.provenance.map((code) => (isAllowed(code) ? ACCEPTED : REJECTED));
  const nAllowed = provenance.reduce((sum, code) => sum + Number(code === ACCEPTED), 0);
  return { provenance, probability, counts: [n - nAllowed, nAllowed, 0, 0, 0, 0, 0, 0], mass: null };
}
/** The first token, in trie order, of the rarer side: where a magnifier is worth most. */
export function firstOfRarer({ provenance, counts }: Bulk, order: Uint32Array): number {
  const nAllowed = counts.reduce((sum, count, code) => sum + (isAllowed(code) ? count : 0), 0);
  const wanted = nAllowed <= provenance.length / 2;
  const rank = order.findIndex((id) => isAllowed(provenance[id] as number) === wanted);
  return Math.max(0, rank);
}

export interface MaskPicture {
  grid: Grid;
  bulk: Bulk;
  /** token ids in trie order */
  order: Uint32Array;
  palette: Palette;
  /** classes to show alone, or null for all */
  only: readonly number[] | null;
}

/** One word a cell, for grids of small cells. */
function pixels(picture: MaskPicture): Uint32Array<ArrayBuffer> {
  const { grid, bulk, order, palette, only } = picture;
  const table = tableOf(palette);
  const out = new Uint32Array(grid.columns * grid.rows).fill(word(palette.paper));
  const { provenance, probability } = bulk;
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
  const rare = [UNCERTAIN_ACCEPTED, UNCERTAIN_REJECTED, STOP_LEGAL, ACCEPTED, REJECTED, BOTH, ONLY_A, ONLY_B].filter(
    (cls) => (bulk.counts[cls] ?? 0) > 0 && (bulk.counts[cls] ?? 0) <= grid.n / 256,
  );
  if (rare.length === 0) return;
  for (let rank = 0; rank < grid.n; rank++) {
    const cls = bulk.provenance[order[rank] as number] as number;
    if (!rare.includes(cls) || (only && !only.includes(cls))) continue;
    const { x, y } = cellOf(grid, rank);
    context.fillStyle = `rgb(${palette.classes[cls]})`;
    if (cls === UNCERTAIN_REJECTED || cls === ONLY_B) {
      context.fillRect(x - 1, y, 3, 1);
      context.fillRect(x, y - 1, 1, 3);
    } else context.fillRect(x - 1, y - 1, 3, 3);
  }
}

/** The shape of a class in a cell of `s` device pixels: filled where it may be sampled, struck or hollow where not. */
function stamp(
  g: OffscreenCanvasRenderingContext2D,
  cls: number,
  colour: string,
  x: number,
  y: number,
  s: number,
): void {
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
  } else if (cls === ONLY_A || cls === ONLY_B) {
    g.strokeRect(x + pad, y + pad, s - 2 * pad, s - 2 * pad);
    g.fillRect(cls === ONLY_A ? x + pad : x + mid, y + pad, mid - pad, s - 2 * pad);
  } else if (cls === BOTH) g.strokeRect(x + pad, y + pad, s - 2 * pad, s - 2 * pad);
  else if (cls === NEITHER) g.fillRect(x + s * 0.4, y + s * 0.4, s * 0.2, s * 0.2);
  else if (cls === SPECIAL) {
    g.moveTo(x + mid, y + pad);
    g.lineTo(x + s - pad, y + s - pad);
    g.lineTo(x + pad, y + s - pad);
    g.fill();
  } else g.fillRect(x + s * 0.3, y + s * 0.3, s * 0.4, s * 0.4);
}

/** Finished cells: classes × 32 strengths, as words of `size`² pixels each. */
interface Stamps {
  key: string;
  size: number;
  words: Uint32Array;
}
const STRENGTHS = 32;
let kept: Stamps | null = null;

function stampsOf(palette: Palette, size: number): Stamps {
  const key = `${size} ${palette.key}`;
  if (kept?.key === key) return kept;
  const table = tableOf(palette);
  const n = N_CODES * STRENGTHS;
  const canvas = new OffscreenCanvas(size, size * n);
  const context = canvas.getContext("2d", { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
  context.fillStyle = `rgb(${palette.paper})`;
  context.fillRect(0, 0, size, size * n);
  for (let k = 0; k < n; k++) {
    const code = Math.round(((k % STRENGTHS) / (STRENGTHS - 1)) * 255);
    const cls = Math.floor(k / STRENGTHS);
    stamp(context, cls, css(table[(cls << 8) | code] as number), 0, k * size, size);
  }
  kept = { key, size, words: new Uint32Array(context.getImageData(0, 0, size, size * n).data.buffer) };
  return kept;
}

/** TRICK  Cells are copied row by row from finished stamps: a drawing call a cell costs ten times as much. */
function shapes(picture: MaskPicture, ratio: number): Uint32Array<ArrayBuffer> {
  const { grid, bulk, order, palette, only } = picture;
  const size = Math.round(grid.cell * ratio);
  const { words } = stampsOf(palette, size);
  const width = grid.columns * size;
  const out = new Uint32Array(width * grid.rows * size).fill(word(palette.paper));
  for (let rank = 0; rank < grid.n; rank++) {
    const id = order[rank] as number;
    const cls = bulk.provenance[id] as number;
    const from = cls * STRENGTHS + Math.round(((bulk.probability[id] as number) / 255) * (STRENGTHS - 1));
    if (only && !only.includes(cls)) continue;
    const left = (rank % grid.columns) * size;
    const top = Math.floor(rank / grid.columns) * size;
    let source = from * size * size;
    for (let row = 0; row < size; row++) {
      let target = (top + row) * width + left;
      for (let column = 0; column < size; column++) out[target++] = words[source++] as number;
    }
  }
  return out;
}

export function paintMask(canvas: HTMLCanvasElement, picture: MaskPicture): void {
  const { grid } = picture;
  const large = grid.cell >= SHAPES_FROM;
  const cell = large ? Math.round(grid.cell * Math.min(3, window.devicePixelRatio || 1)) : 1;
  const [w, h] = [grid.columns * cell, grid.rows * cell];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const words = large ? shapes(picture, cell / grid.cell) : pixels(picture);
  context.putImageData(new ImageData(new Uint8ClampedArray(words.buffer), w, h), 0, 0);
  if (grid.cell === 1) swell(context, picture);
}
