// Text of the page as text of a picture: one element a line, on the line's own base line, with the fonts by name.
//
// `textLength` holds a line to the width it had here, so that columns stay columns where the font is another.
import { edges, type Ink, ink, n, paint, type Rect, type Sheet, xml } from "./ink";

export interface Decoration {
  line: string;
  isWavy: boolean;
  colour: Ink | null;
}

let pen: CanvasRenderingContext2D | null = null;
const metrics = new Map<string, { ascent: number; descent: number; dots: number }>();
function metricsOf(style: CSSStyleDeclaration): { ascent: number; descent: number; dots: number } {
  const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  let known = metrics.get(font);
  if (!known) {
    pen ??= document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
    pen.font = font;
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent, width } = pen.measureText("…");
    known = { ascent, descent, dots: width };
    metrics.set(font, known);
  }
  return known;
}

/** The words of a style that a text element needs. */
export function fontOf(style: CSSStyleDeclaration): string {
  const out = [`font-family="${xml(style.fontFamily)}"`, `font-size="${n(Number.parseFloat(style.fontSize))}"`];
  if (style.fontWeight !== "400") out.push(`font-weight="${style.fontWeight}"`);
  if (style.fontStyle !== "normal") out.push(`font-style="${style.fontStyle}"`);
  if (style.letterSpacing !== "normal") out.push(`letter-spacing="${n(Number.parseFloat(style.letterSpacing))}"`);
  return out.join(" ");
}

interface Line {
  text: string;
  rect: Rect;
}
/** A text node line by line, as the browser has broken it. */
function linesOf(node: Text): Line[] {
  const range = document.createRange();
  range.selectNodeContents(node);
  const rects = [...range.getClientRects()].filter((rect) => rect.width > 0);
  const [only] = rects;
  if (!only) return [];
  if (rects.length === 1 && !/^\s|\s$|\s\s/.test(node.data)) return [{ text: node.data, rect: edges(only) }];
  const out: Line[] = [];
  let at = 0;
  for (const c of node.data) {
    range.setStart(node, at);
    at += c.length;
    range.setEnd(node, at);
    const rect = range.getClientRects()[0];
    const last = out.at(-1);
    if (!rect || rect.width === 0) {
      if (last && c.trim()) last.text += c; // a mark on the letter before it; white space without width was collapsed
      continue;
    }
    if (last && Math.abs(last.rect.top - rect.top) < rect.height / 2 && rect.left >= last.rect.right - 1) {
      last.text += c;
      last.rect = { ...last.rect, right: rect.right };
    } else out.push({ text: c, rect: edges(rect) });
  }
  return out;
}

/** What is seen of a line in a box that cuts it off: the characters before the edge, and dots if the box has them. */
function cutOff(line: Line, clip: Rect, dots: number): Line | null {
  const middle = (line.rect.top + line.rect.bottom) / 2;
  if (middle < clip.top || middle > clip.bottom || line.rect.left >= clip.right || line.rect.right <= clip.left)
    return null;
  if (line.rect.right <= clip.right + 0.75) return line;
  const characters = [...line.text];
  const each = (line.rect.right - line.rect.left) / characters.length;
  const kept = Math.floor((clip.right - line.rect.left - dots) / each);
  if (kept <= 0) return null;
  const right = line.rect.left + kept * each;
  return {
    text: `${characters.slice(0, kept).join("")}${dots > 0 ? "…" : ""}`,
    rect: { ...line.rect, right: right + dots },
  };
}

function wave(r: Rect, y: number, colour: Ink): string {
  let d = `M${n(r.left)} ${n(y)}`;
  for (let x = r.left, up = true; x < r.right; x += 2, up = !up) d += `l2 ${up ? -2 : 2}`;
  return `<path d="${d}" fill="none"${paint("stroke", colour)}/>`;
}

const cased = (text: string, how: string): string =>
  how === "uppercase" ? text.toUpperCase() : how === "lowercase" ? text.toLowerCase() : text;

/** One line at its place. */
export function line(
  sheet: Sheet,
  style: CSSStyleDeclaration,
  text: string,
  page: Rect,
  decoration: Decoration | null,
): void {
  const colour = ink(style.color);
  if (!colour) return;
  const r = sheet.place(page);
  const { ascent, descent } = metricsOf(style);
  const y = r.top + (r.bottom - r.top - ascent - descent) / 2 + ascent;
  const plain = decoration && !decoration.isWavy ? ` text-decoration="${decoration.line}"` : "";
  const width = [...text].length > 1 ? ` textLength="${n(r.right - r.left)}"` : "";
  const at = `x="${n(r.left)}" y="${n(y)}"${width}`;
  sheet.add(`<text ${at} xml:space="preserve" ${fontOf(style)}${paint("fill", colour)}${plain}>${xml(text)}</text>`, r);
  if (decoration?.isWavy) sheet.parts.push(wave(r, y + 4, decoration.colour ?? colour));
}

/** All lines of a text node, as far as `clip` lets them be seen; `dotted`: what is cut off ends in dots. */
export function words(
  sheet: Sheet,
  node: Text,
  style: CSSStyleDeclaration,
  clip: Rect,
  dotted: boolean,
  decoration: Decoration | null,
): void {
  for (const whole of linesOf(node)) {
    const seen = cutOff(whole, clip, dotted ? metricsOf(style).dots : 0);
    const text = seen && cased(seen.text.replace(/\s/g, " "), style.textTransform);
    if (text && (text.trim() || decoration)) line(sheet, style, text, seen.rect, decoration);
  }
}
