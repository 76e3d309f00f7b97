// A view as it stands on the page, as one SVG file: boxes, drawings, pixels and words, each where the browser has put it.
//
// IDEA   Nothing is drawn a second time: the page is read. Every element says where it is and how it looks (computed styles), text says
//        where its lines are; so a picture is what the reader sees, and text in it stays text.
//
// NOT HERE  controls and floats: what one presses is no part of a picture. What scrolls: a box that holds a
//           drawing is opened first, so that a drawing is whole; a list is cut after its last whole line.
import { box, pseudo } from "./boxes";
import { drawing, pixels } from "./drawings";
import { edges, ink, meet, n, paint, type Rect, Sheet, xml } from "./ink";
import { type Decoration, line, words } from "./words";

/** What one presses or writes into. A field that is empty only asks; `data-act` marks what no class tells. */
const CONTROLS = [
  ".tools",
  ".transport",
  ".recall",
  ".keys",
  ".unseen",
  ".float",
  ".picture-menu",
  ".cm-cursorLayer",
  ".cm-tooltip",
  "kbd",
  "[data-act]",
  "[role=tab][aria-selected=false]",
  "label:has(input:placeholder-shown)",
  "form:has(input:placeholder-shown)",
].join();
const EVERYWHERE: Rect = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };

interface Around {
  clip: Rect;
  dotted: boolean;
  decoration: Decoration | null;
}

const rectOf = (element: Element): Rect => edges(element.getBoundingClientRect());

/** What is inside a box that hides what overflows. */
function within(style: CSSStyleDeclaration, page: Rect, around: Around): Around {
  const [x, y] = [style.overflowX !== "visible", style.overflowY !== "visible"];
  const line_ = style.textDecorationLine;
  const decoration =
    line_ === "none"
      ? around.decoration
      : { line: line_, isWavy: style.textDecorationStyle === "wavy", colour: ink(style.textDecorationColor) };
  if (!x && !y) return decoration === around.decoration ? around : { ...around, decoration };
  const { clip } = around;
  const own = {
    left: x ? page.left : clip.left,
    right: x ? page.right : clip.right,
    top: y ? page.top : clip.top,
    bottom: y ? page.bottom : clip.bottom,
  };
  return { clip: meet(clip, own), dotted: style.textOverflow === "ellipsis", decoration };
}

/** A field: what is written in it, or what it asks for; a slider as a line with a knob; a box as a box with a tick. */
function field(sheet: Sheet, element: HTMLInputElement | HTMLSelectElement, page: Rect): void {
  const style = getComputedStyle(element);
  const middle = (page.top + page.bottom) / 2;
  const colour = ink(style.color);
  if (!colour) return;
  if (element instanceof HTMLInputElement && element.type === "range") {
    const [low, high] = [Number(element.min || 0), Number(element.max || 100)];
    const at = page.left + 6 + ((page.right - page.left - 12) * (Number(element.value) - low)) / (high - low || 1);
    const r = sheet.place({ ...page, left: at - 6, right: at + 6, top: middle - 6, bottom: middle + 6 });
    const track = sheet.place(page);
    const y = (r.top + r.bottom) / 2;
    const stroke = paint("stroke", colour);
    sheet.add(
      `<line x1="${n(track.left)}" y1="${n(y)}" x2="${n(track.right)}" y2="${n(y)}"${stroke} stroke-opacity=".4" stroke-width="2"/>`,
      r,
    );
    sheet.add(`<circle cx="${n((r.left + r.right) / 2)}" cy="${n(y)}" r="5"${paint("fill", colour)}/>`, r);
    return;
  }
  if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) {
    const r = sheet.place(page);
    const size = `x="${n(r.left + 0.5)}" y="${n(r.top + 0.5)}" width="${n(r.right - r.left - 1)}" height="${n(r.bottom - r.top - 1)}"`;
    sheet.add(`<rect ${size} rx="2" fill="none"${paint("stroke", colour)}/>`, r);
    const tick = `M${n(r.left + 3)} ${n((r.top + r.bottom) / 2)}l3 3 5-6`;
    if (element.checked) sheet.add(`<path d="${tick}" fill="none"${paint("stroke", colour)} stroke-width="1.6"/>`, r);
    return;
  }
  const text =
    element instanceof HTMLSelectElement
      ? (element.selectedOptions[0]?.text ?? "")
      : element.value || element.placeholder;
  if (!text) return;
  const pen = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const width = Math.min(pen.measureText(text).width, page.right - page.left);
  const left = page.left + Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.borderLeftWidth);
  const size = Number.parseFloat(style.fontSize) * 0.6;
  line(sheet, style, text, { left, right: left + width, top: middle - size, bottom: middle + size }, null);
}

function walk(sheet: Sheet, element: Element, around: Around): void {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
  const page = rectOf(element);
  if (
    style.display !== "contents" &&
    page.right - page.left <= 1 &&
    page.bottom - page.top <= 1 &&
    style.overflow === "hidden"
  )
    return;
  const at = sheet.parts.length;
  if (style.display === "inline") for (const part of element.getClientRects()) box(sheet, style, part, around.clip);
  else if (style.display !== "contents") box(sheet, style, page, around.clip);
  if (element instanceof SVGSVGElement) drawing(sheet, element, page, around.clip);
  else if (element instanceof HTMLCanvasElement) pixels(sheet, element, page, around.clip);
  else if (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) field(sheet, element, page);
  else {
    const inside = within(style, page, around);
    pseudo(sheet, element, "::before", page, inside.clip);
    for (const child of element.childNodes) {
      if (child instanceof Element) walk(sheet, child, inside);
      else if (child instanceof Text) words(sheet, child, style, inside.clip, inside.dotted, inside.decoration);
    }
    pseudo(sheet, element, "::after", page, inside.clip);
  }
  if (style.opacity !== "1" && sheet.parts.length > at) {
    const faded = sheet.parts.splice(at).join("");
    sheet.parts.push(`<g opacity="${style.opacity}">${faded}</g>`);
  }
}

/** The box round an element, out of its shadow root too. */
const scrollerOf = (element: Element): Element | null => {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
};

const WHOLE = [
  ["height", "auto"],
  ["overflow", "visible"],
] as const;
/** Leaves controls away, draws all that is out of sight, and opens what scrolls round a drawing; returns what puts it back. */
function opened(view: HTMLElement): () => void {
  const undo: (() => void)[] = [];
  const set = (element: HTMLElement | SVGElement, name: string, value: string) => {
    const before = element.style.getPropertyValue(name);
    element.style.setProperty(name, value, "important");
    undo.unshift(() => (before ? element.style.setProperty(name, before) : element.style.removeProperty(name)));
  };
  for (let box = scrollerOf(view); box; box = scrollerOf(box)) {
    const { scrollLeft, scrollTop } = box; // less to see may mean less to scroll
    undo.unshift(() => Object.assign(box as Element, { scrollLeft, scrollTop }));
  }
  for (const control of view.querySelectorAll<HTMLElement>(CONTROLS)) set(control, "display", "none");
  for (const panel of [view, ...view.querySelectorAll<HTMLElement>(".panel")])
    set(panel, "content-visibility", "visible");
  // the picture of a pane's view shows all of it; that of the workbench shows panes as they are
  if (view.closest(".pane")) for (const [name, value] of WHOLE) set(view, name, value);
  const isOfPanes = view.matches(".workbench");
  let wider = 0;
  for (const scrolls of view.querySelectorAll<HTMLElement>("*")) {
    if (isOfPanes) break;
    const across = scrolls.scrollWidth - scrolls.clientWidth;
    if (across <= 1 && scrolls.scrollHeight - scrolls.clientHeight <= 1) continue;
    const { overflowX, overflowY } = getComputedStyle(scrolls);
    if (![overflowX, overflowY].some((how) => how === "auto" || how === "scroll")) continue;
    if (!scrolls.querySelector("svg[role=img], svg[width]:not(.glyph)")) continue;
    const { scrollLeft, scrollTop } = scrolls;
    undo.unshift(() => Object.assign(scrolls, { scrollLeft, scrollTop }));
    set(scrolls, "overflow", "visible");
    set(scrolls, "max-height", "none");
    wider = Math.max(wider, across);
  }
  if (wider > 0) set(view, "width", `${view.offsetWidth + wider}px`);
  return () => {
    for (const act of undo) act();
  };
}

export interface Picture {
  svg: string;
  width: number;
  height: number;
}

/** Around the view, so that no mark stands at the edge of the paper. */
const MARGIN = 4;

/** The picture of a panel, or of the workbench. What it changes on the page to read it is put back before the page is painted. */
export function pictureOf(view: HTMLElement): Picture {
  const putBack = opened(view);
  try {
    const page = rectOf(view);
    const sheet = new Sheet({ x: page.left, y: page.top }, view.getRootNode() as unknown as Element);
    sheet.reach = sheet.place(page);
    walk(sheet, view, { clip: EVERYWHERE, dotted: false, decoration: null });
    return framed(sheet, view);
  } finally {
    putBack();
  }
}

function framed(sheet: Sheet, view: HTMLElement): Picture {
  const { reach } = sheet;
  const [left, top] = [Math.floor(reach.left - MARGIN), Math.floor(reach.top - MARGIN)];
  const [width, height] = [Math.ceil(reach.right + MARGIN) - left, Math.ceil(reach.bottom + MARGIN) - top];
  const root = view.closest(".xg") ?? view;
  const paper = ink(getComputedStyle(root).backgroundColor) ?? { hex: "#ffffff", alpha: 1 };
  const title = view.getAttribute("aria-label") ?? "xg2lab";
  const ground = `<rect x="${left}" y="${top}" width="${width}" height="${height}"${paint("fill", paper)}/>`;
  const defs = sheet.defs.length > 0 ? `<defs>${sheet.defs.join("")}</defs>` : "";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}"><title>${xml(title)}</title>${defs}${ground}\n${sheet.parts.join("\n")}\n</svg>\n`;
  return { svg, width, height };
}
