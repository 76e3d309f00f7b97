// A box's ground, shadow and borders as SVG: rectangles, lines, and CSS's hard-edged gradients as gradients of SVG.
import { ink, isEmpty, meet, n, paint, type Rect, type Sheet } from "./ink";

const number = (text: string | undefined): number => Number.parseFloat(text ?? "") || 0;

const rectangle = (r: Rect, radius: number, more: string): string =>
  `<rect x="${n(r.left)}" y="${n(r.top)}" width="${n(r.right - r.left)}" height="${n(r.bottom - r.top)}"${radius > 0 ? ` rx="${n(radius)}"` : ""}${more}/>`;

/** Splits at commas that are in no bracket. */
function split(text: string): string[] {
  const out = [""];
  let depth = 0;
  for (const c of text) {
    if (c === "(") depth++;
    if (c === ")") depth--;
    if (c === "," && depth === 0) out.push("");
    else out[out.length - 1] += c;
  }
  return out.map((part) => part.trim());
}

const SIDES: Record<string, number> = { top: 0, right: 90, bottom: 180, left: 270 };

interface Stop {
  colour: string;
  at: number;
}
/** The stops of a computed gradient in pixels along its line, which is `length` long. */
export function stopsOf(words: readonly string[], length: number): Stop[] {
  const out: { colour: string; at: number | null }[] = [];
  for (const word of words) {
    const found = /^(.*?\)|[^\s]+)((?:\s+[-\d.]+(?:px|%))*)$/.exec(word);
    if (!found) continue;
    const places = (found[2] ?? "").match(/[-\d.]+(?:px|%)/g) ?? [];
    const pixels = places.map((place) => (place.endsWith("%") ? (number(place) / 100) * length : number(place)));
    for (const at of pixels.length > 0 ? pixels : [null]) out.push({ colour: found[1] as string, at });
  }
  const [first, last] = [out[0], out.at(-1)];
  if (first) first.at ??= 0;
  if (last) last.at ??= length;
  let before = 0;
  return out.map(({ colour, at }) => {
    before = Math.max(before, at ?? before); // a stop may not stand before the one before it
    return { colour, at: before };
  });
}

/** A computed linear gradient as a definition: its id, or null for what is none. */
function gradient(sheet: Sheet, image: string, r: Rect): string | null {
  const found = /^(repeating-)?linear-gradient\((.*)\)$/.exec(image);
  if (!found) return null;
  const words = split(found[2] as string);
  let angle = 180;
  const first = words[0] as string;
  if (/^(to |[-\d.]+deg)/.test(first)) {
    angle = first.startsWith("to ") ? (SIDES[first.slice(3)] ?? 180) : number(first);
    words.shift();
  }
  const [sin, cos] = [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)];
  const [w, h] = [r.right - r.left, r.bottom - r.top];
  const length = Math.abs(w * sin) + Math.abs(h * cos);
  const stops = stopsOf(words, length);
  const end = found[1] ? (stops.at(-1)?.at ?? length) : length;
  const start = { x: (r.left + r.right - sin * length) / 2, y: (r.top + r.bottom + cos * length) / 2 };
  const line = `x1="${n(start.x)}" y1="${n(start.y)}" x2="${n(start.x + sin * end)}" y2="${n(start.y - cos * end)}"`;
  const marks = stops.map(({ colour, at }) => {
    const known = ink(colour);
    const seen = known ? `stop-color="${known.hex}" stop-opacity="${n(known.alpha)}"` : 'stop-opacity="0"';
    return `<stop offset="${Math.round((at / end) * 1e4) / 1e4}" ${seen}/>`;
  });
  const body = `gradientUnits="userSpaceOnUse" ${line}${found[1] ? ' spreadMethod="repeat"' : ""}>${marks.join("")}`;
  return sheet.define((id) => `<linearGradient id="${id}" ${body}</linearGradient>`, body);
}

/** Shadows without blur are marks: a ring round the selected, a line under the live. Those with blur say only "this floats". */
function shadows(sheet: Sheet, style: CSSStyleDeclaration, r: Rect, radius: number): void {
  if (style.boxShadow === "none") return;
  for (const shadow of split(style.boxShadow)) {
    const colour = ink(shadow.replace(/(\s*(-?[\d.]+px|inset))+\s*$/, ""));
    const [dx, dy, blur, spread] = (shadow.match(/-?[\d.]+px/g) ?? []).map(number) as [number, number, number, number];
    if (!colour || blur > 0 || dx !== 0) continue;
    if (spread > 0) {
      const half = spread / 2;
      const ring = { left: r.left - half, top: r.top - half, right: r.right + half, bottom: r.bottom + half };
      sheet.add(
        rectangle(ring, radius + half, ` fill="none"${paint("stroke", colour)} stroke-width="${n(spread)}"`),
        ring,
      );
    } else if (dy !== 0) {
      const inset = shadow.includes("inset");
      const below = inset ? { ...r, top: r.bottom + dy } : { ...r, top: r.bottom, bottom: r.bottom + dy };
      const above = inset ? { ...r, bottom: r.top + dy } : { ...r, top: r.top + dy, bottom: r.top };
      const strip = inset === dy < 0 ? below : above;
      sheet.add(rectangle(strip, 0, paint("fill", colour)), strip);
    }
  }
}

const DASHES: Record<string, string> = { dashed: ' stroke-dasharray="3 2"', dotted: ' stroke-dasharray="1 2"' };

function borders(sheet: Sheet, style: CSSStyleDeclaration, r: Rect, radius: number): void {
  const sides = (["Top", "Right", "Bottom", "Left"] as const).map((side) => ({
    width: style[`border${side}Style`] === "none" ? 0 : number(style[`border${side}Width`]),
    how: style[`border${side}Style`],
    colour: style[`border${side}Color`],
  }));
  const [first] = sides as [(typeof sides)[0], ...typeof sides];
  const like = (side: typeof first) =>
    side.width === first.width && side.how === first.how && side.colour === first.colour;
  if (sides.every(like)) {
    const colour = first.width > 0 ? ink(first.colour) : null;
    if (!colour) return;
    const half = first.width / 2;
    const inner = { left: r.left + half, top: r.top + half, right: r.right - half, bottom: r.bottom - half };
    const line = ` fill="none"${paint("stroke", colour)} stroke-width="${n(first.width)}"${DASHES[first.how] ?? ""}`;
    if (!isEmpty(inner)) sheet.add(rectangle(inner, Math.max(0, radius - half), line), r);
    return;
  }
  sides.forEach(({ width, how, colour }, k) => {
    const known = width > 0 ? ink(colour) : null;
    if (!known) return;
    const half = width / 2;
    const [x1, y1, x2, y2] = [
      [r.left, r.top + half, r.right, r.top + half],
      [r.right - half, r.top, r.right - half, r.bottom],
      [r.left, r.bottom - half, r.right, r.bottom - half],
      [r.left + half, r.top, r.left + half, r.bottom],
    ][k] as [number, number, number, number];
    const at = `x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}"`;
    sheet.add(`<line ${at}${paint("stroke", known)} stroke-width="${n(width)}"${DASHES[how] ?? ""}/>`, r);
  });
}

/** Ground, shadow and borders of a box at `page` (coordinates of the page), as far as `clip` lets them be seen. */
export function box(sheet: Sheet, style: CSSStyleDeclaration, page: Rect, clip: Rect): void {
  const seen = meet(page, clip);
  if (seen.right < seen.left || seen.bottom < seen.top) return;
  const r = sheet.place(seen);
  const radius = Math.min(
    number(style.borderTopLeftRadius) * (style.borderTopLeftRadius.endsWith("%") ? (r.right - r.left) / 100 : 1),
    (r.right - r.left) / 2,
    (r.bottom - r.top) / 2,
  );
  shadows(sheet, style, r, radius);
  const ground = ink(style.backgroundColor);
  if (ground && !isEmpty(r)) sheet.add(rectangle(r, radius, paint("fill", ground)), r);
  const image = style.backgroundImage === "none" || isEmpty(r) ? null : gradient(sheet, style.backgroundImage, r);
  if (image) sheet.add(rectangle(r, radius, ` fill="url(#${image})"`), r);
  borders(sheet, style, r, radius);
}

const isLength = (text: string): boolean => text.endsWith("px");
/** The lines that `::before` and `::after` of a placed box are: their own box, found from the edges that CSS gives them. */
export function pseudo(sheet: Sheet, element: Element, which: "::before" | "::after", page: Rect, clip: Rect): void {
  const style = getComputedStyle(element, which);
  if (style.content === "none" || style.position !== "absolute") return;
  if (![style.left, style.top, style.width, style.height].every(isLength)) return;
  const left = page.left + number(style.left);
  const top = page.top + number(style.top);
  // width and height are those of the border box here: box-sizing is inherited by all
  const around = { left, top, right: left + number(style.width), bottom: top + number(style.height) };
  box(sheet, style, around, clip);
}
