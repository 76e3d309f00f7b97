// A picture to the clipboard: an SVG as its text, a PNG as an image.
//
// Programs that draw take pasted SVG text, and editors show it. A browser that has the type image/svg+xml gets it as well. An SVG can be
// copied wherever text can, also on a page that is not served securely (clipboard.ts); a PNG takes the browser's clipboard interface.
import { copyText } from "../kit";
import type { Format } from "./entry";

const SVG_TYPE = "image/svg+xml";

const refused = (format: Format): Error =>
  new Error(
    `The browser refused to copy. Allow the clipboard for this page, or choose "save ${format.toUpperCase()}".`,
  );

/** Writes one item with these types; whether the browser has taken it. Each type may still be on its way. */
async function written(types: Record<string, Blob | Promise<Blob>>): Promise<boolean> {
  try {
    await navigator.clipboard.write([new ClipboardItem(types)]);
    return true;
  } catch {
    return false; // by permission, because the page is not in focus, or because it does not know a type
  }
}

const canWrite = (): boolean => typeof ClipboardItem !== "undefined" && Boolean(navigator.clipboard?.write);

/** Puts the picture into the clipboard; an error says in a sentence what to do instead. `png` makes the pixels. */
export async function copyPicture(format: Format, svg: string, png: () => Promise<Blob>): Promise<void> {
  if (format === "svg") {
    const text = new Blob([svg], { type: "text/plain" });
    const both = { "text/plain": text, [SVG_TYPE]: new Blob([svg], { type: SVG_TYPE }) };
    if (canWrite() && ClipboardItem.supports?.(SVG_TYPE) && (await written(both))) return;
    if (await copyText(svg)) return;
    throw refused(format);
  }
  if (!canWrite())
    throw new Error(
      'This browser copies images only on pages that are served by https or from this machine. Choose "save PNG", or copy the SVG.',
    );
  // the pixels are made while the browser still counts the click: it takes a promise of them
  const made = png();
  if (await written({ "image/png": made })) return;
  await made; // a picture that could not be made says so itself
  throw refused(format);
}
