// Drawings and canvases of the page as parts of a picture: an SVG is copied with its styles written into it, a canvas as its pixels.

import { holds, ink, meet, n, paint, type Rect, type Sheet, xml } from "./ink";
import { fontOf } from "./words";

/** Attributes that are geometry; all else is either style, which is computed, or of the page alone. */
const GEOMETRY = new Set(
  "x y x1 y1 x2 y2 cx cy r rx ry d points width height transform viewBox dx dy offset gradientUnits gradientTransform patternUnits patternTransform patternContentUnits spreadMethod refX refY markerWidth markerHeight orient markerUnits textLength lengthAdjust preserveAspectRatio clipPathUnits".split(
    " ",
  ),
);
const IN_WORDS = new Set(["text", "tspan"]);
const PAINTED = new Set(["path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"]);
const REFERENCE = /url\("?#([^")]+)"?\)/;

/** A definition that a drawing names, copied into the picture; "none" where there is none. */
function refer(sheet: Sheet, value: string, from: Element): string {
  const id = REFERENCE.exec(value)?.[1];
  const own = from instanceof SVGElement ? from.ownerSVGElement : null;
  const found = id && (own?.querySelector(`[id="${id}"]`) ?? sheet.root.querySelector(`[id="${id}"]`));
  if (!found) return "none";
  const inside = copy(sheet, found, "");
  return `url(#${sheet.define((name) => inside.replace(/^<(\w+)/, `<$1 id="${name}"`), inside)})`;
}

function painted(sheet: Sheet, element: Element, style: CSSStyleDeclaration): string {
  const out: string[] = [];
  for (const what of ["fill", "stroke"] as const) {
    const value = style[what];
    const known = value === "none" || value.startsWith("url") ? null : ink(value);
    if (value.startsWith("url")) out.push(` ${what}="${refer(sheet, value, element)}"`);
    else if (known) {
      const alpha = known.alpha * Number(what === "fill" ? style.fillOpacity : style.strokeOpacity);
      out.push(paint(what, { hex: known.hex, alpha }));
    } else if (what === "fill") out.push(' fill="none"');
    if (what !== "stroke" || value === "none") continue;
    if (style.strokeWidth !== "1px") out.push(` stroke-width="${n(Number.parseFloat(style.strokeWidth))}"`);
    if (style.strokeDasharray !== "none") out.push(` stroke-dasharray="${style.strokeDasharray.replaceAll("px", "")}"`);
    if (style.strokeLinecap !== "butt") out.push(` stroke-linecap="${style.strokeLinecap}"`);
    if (style.strokeLinejoin !== "miter") out.push(` stroke-linejoin="${style.strokeLinejoin}"`);
    if (style.paintOrder !== "normal") out.push(` paint-order="${style.paintOrder}"`);
  }
  for (const end of ["markerStart", "markerEnd"] as const)
    if (style[end].startsWith("url"))
      out.push(` ${end === "markerEnd" ? "marker-end" : "marker-start"}="${refer(sheet, style[end], element)}"`);
  if (IN_WORDS.has(element.tagName)) {
    out.push(` ${fontOf(style)}`);
    if (style.textAnchor !== "start") out.push(` text-anchor="${style.textAnchor}"`);
    if (style.dominantBaseline !== "auto") out.push(` dominant-baseline="${style.dominantBaseline}"`);
    if (style.textDecorationLine !== "none") out.push(` text-decoration="${style.textDecorationLine}"`);
    out.push(' xml:space="preserve"');
  }
  return out.join("");
}

/** An element of a drawing and all in it. */
function copy(sheet: Sheet, element: Element, more: string): string {
  const tag = element.tagName;
  if (tag === "defs" || tag === "style") return "";
  if (tag === "title" || tag === "desc") return `<${tag}>${xml(element.textContent ?? "")}</${tag}>`;
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden") return "";
  const geometry = [...element.attributes]
    .filter(({ name }) => GEOMETRY.has(name))
    .map(({ name, value }) => ` ${name}="${xml(value)}"`)
    .join("");
  const marks = tag === "stop" ? stop(style) : PAINTED.has(tag) ? painted(sheet, element, style) : "";
  const opacity = style.opacity === "1" ? "" : ` opacity="${style.opacity}"`;
  const cut = style.clipPath.startsWith("url") ? ` clip-path="${refer(sheet, style.clipPath, element)}"` : "";
  const inside = [...element.childNodes]
    .map((node) =>
      node instanceof Element ? copy(sheet, node, "") : IN_WORDS.has(tag) && node instanceof Text ? xml(node.data) : "",
    )
    .join("");
  const open = `<${tag}${geometry}${more}${marks}${opacity}${cut}`;
  return inside ? `${open}>${inside}</${tag}>` : `${open}/>`;
}

function stop(style: CSSStyleDeclaration): string {
  const known = ink(style.stopColor);
  return known ? ` stop-color="${known.hex}" stop-opacity="${n(known.alpha * Number(style.stopOpacity))}"` : "";
}

/** A drawing at its place: moved, scaled by its own view box, cut where the page cuts it. */
export function drawing(sheet: Sheet, svg: SVGSVGElement, page: Rect, clip: Rect): void {
  const seen = meet(page, clip);
  if (seen.right <= seen.left || seen.bottom <= seen.top) return;
  const r = sheet.place(page);
  const inside = [...svg.children].map((child) => copy(sheet, child, "")).join("");
  if (!inside) return;
  const view = svg.viewBox.baseVal;
  const scale = view && view.width > 0 ? (r.right - r.left) / view.width : 1;
  const origin = view && view.width > 0 ? ` translate(${n(-view.x)} ${n(-view.y)})` : "";
  const size = scale === 1 ? "" : ` scale(${Math.round(scale * 1e4) / 1e4})`;
  const moved = `<g transform="translate(${n(r.left)} ${n(r.top)})${size}${origin}">${inside}</g>`;
  const drawn = svg.getBBox();
  const [x, y] = [view?.width ? view.x : 0, view?.width ? view.y : 0];
  const ink_ = {
    left: r.left + (drawn.x - x) * scale,
    top: r.top + (drawn.y - y) * scale,
    right: r.left + (drawn.x + drawn.width - x) * scale,
    bottom: r.top + (drawn.y + drawn.height - y) * scale,
  };
  // what reaches past a drawing that is not cut off is part of the picture; past one that is, it isn't
  const isOpen = getComputedStyle(svg).overflow === "visible";
  const cut = sheet.place(isOpen ? clip : seen);
  if (holds(cut, ink_)) sheet.add(moved, isOpen ? ink_ : r);
  else sheet.add(`<g clip-path="url(#${sheet.clip(cut)})">${moved}</g>`, meet(cut, isOpen ? ink_ : r));
}

/** A canvas as pixels, each as large as it is on the page. */
export function pixels(sheet: Sheet, canvas: HTMLCanvasElement, page: Rect, clip: Rect): void {
  if (canvas.width === 0 || canvas.height === 0) return;
  const r = sheet.place(page);
  const size = `width="${n(r.right - r.left)}" height="${n(r.bottom - r.top)}"`;
  const data = `href="${canvas.toDataURL("image/png")}"`;
  const said = canvas.getAttribute("aria-label");
  const title = said ? `<title>${xml(said)}</title>` : "";
  const image = `<image x="${n(r.left)}" y="${n(r.top)}" ${size} preserveAspectRatio="none" style="image-rendering:pixelated" ${data}>${title}</image>`;
  const cut = sheet.place(clip);
  if (holds(cut, r)) sheet.add(image, r);
  else sheet.add(`<g clip-path="url(#${sheet.clip(cut)})">${image}</g>`, meet(cut, r));
}
