// Numbers, words and colours as an SVG file has them: any program that reads SVG must understand them, so no CSS functions.

export const n = (x: number): string => String(Math.round(x * 100) / 100);

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Text for an XML file; what XML can't hold (most control characters, halves of surrogate pairs) is replaced. */
export const xml = (text: string): string =>
  [...text]
    .map((c) => {
      const at = c.codePointAt(0) as number;
      const isAllowed = at >= 0x20 ? at < 0xd800 || (at > 0xdfff && at < 0xfffe) || at > 0xffff : "\t\n\r".includes(c);
      return isAllowed ? (ESCAPES[c] ?? c) : "\ufffd";
    })
    .join("");

export interface Ink {
  hex: string;
  alpha: number;
}
const known = new Map<string, Ink | null>();
let pixel: CanvasRenderingContext2D | null = null;
/** A computed colour in hexadecimal; null where nothing would be seen of it. `color-mix` comes back as color(srgb …), so it is painted. */
export function ink(colour: string): Ink | null {
  let found = known.get(colour);
  if (found === undefined) {
    if (!pixel) {
      const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
      pixel = canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
    }
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = "#0000";
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data as unknown as [number, number, number, number];
    const hex = `#${[r, g, b].map((x) => x.toString(16).padStart(2, "0")).join("")}`;
    found = a === 0 ? null : { hex, alpha: a / 255 };
    known.set(colour, found);
  }
  return found;
}

/** fill="…" or stroke="…" with its opacity. */
export const paint = (what: "fill" | "stroke", { hex, alpha }: Ink): string =>
  ` ${what}="${hex}"${alpha < 0.999 ? ` ${what}-opacity="${n(alpha)}"` : ""}`;

export interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
/** The edges alone: those of a DOMRect are no properties of its own. */
export const edges = ({ left, top, right, bottom }: Rect): Rect => ({ left, top, right, bottom });
export const meet = (a: Rect, b: Rect): Rect => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});
export const isEmpty = (r: Rect): boolean => r.right - r.left <= 0.01 || r.bottom - r.top <= 0.01;
export const holds = (outer: Rect, inner: Rect, by = 0.5): boolean =>
  inner.left >= outer.left - by &&
  inner.top >= outer.top - by &&
  inner.right <= outer.right + by &&
  inner.bottom <= outer.bottom + by;

/** What a picture is gathered in: elements in the order of painting, definitions, and how far the marks reach. */
export class Sheet {
  readonly parts: string[] = [];
  readonly definitions = new Map<string, string>();
  reach: Rect;
  #next = 0;

  constructor(
    readonly origin: { x: number; y: number },
    readonly root: Element,
  ) {
    this.reach = { left: 0, top: 0, right: 0, bottom: 0 };
  }

  /** A rectangle of the page in coordinates of the picture. */
  place({ left, top, right, bottom }: Rect): Rect {
    const { x, y } = this.origin;
    return { left: left - x, top: top - y, right: right - x, bottom: bottom - y };
  }

  add(part: string, { left, top, right, bottom }: Rect): void {
    this.parts.push(part);
    const { reach } = this;
    this.reach = {
      left: Math.min(reach.left, left),
      top: Math.min(reach.top, top),
      right: Math.max(reach.right, right),
      bottom: Math.max(reach.bottom, bottom),
    };
  }

  /** A definition under a name of its own; the same one twice is one. */
  define(make: (id: string) => string, key: string): string {
    let id = this.definitions.get(key);
    if (!id) {
      id = `xg-${++this.#next}`;
      this.definitions.set(key, id);
      this.defs.push(make(id));
    }
    return id;
  }
  readonly defs: string[] = [];

  clip(r: Rect): string {
    const box = `x="${n(r.left)}" y="${n(r.top)}" width="${n(r.right - r.left)}" height="${n(r.bottom - r.top)}"`;
    return this.define((id) => `<clipPath id="${id}"><rect ${box}/></clipPath>`, `clip ${box}`);
  }
}
