// The chunk that saves and copies pictures: what the button of a panel calls, and what Python calls in a browser without a window.
import { copyPicture } from "./copying";
import { type Picture, pictureOf } from "./picture";

export type Format = "svg" | "png";
export { pictureOf };

/** A picture as pixels, `scale` to one of the page. */
export async function pngOf({ svg, width, height }: Picture, scale = 2): Promise<Blob> {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error(`a picture of ${canvas.width} × ${canvas.height} pixels is more than this browser makes`);
  return blob;
}

export async function save(view: HTMLElement, format: Format, scale = 2): Promise<Blob> {
  const picture = pictureOf(view);
  return format === "svg" ? new Blob([picture.svg], { type: "image/svg+xml" }) : pngOf(picture, scale);
}

/** Puts the picture into the clipboard; an error says in a sentence what to do instead. */
export function copy(view: HTMLElement, format: Format, scale = 2): Promise<void> {
  const picture = pictureOf(view);
  return copyPicture(format, picture.svg, () => pngOf(picture, scale));
}

const UNREADY = ".laying-out, .stale, [data-later]";
const PATIENCE_MS = 8000;
const frame = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)));

/** The picture once it stays the same: twice alike with nothing on its way, or as it is after some seconds. */
export async function settled(find: () => HTMLElement | null | undefined): Promise<Picture> {
  const until = performance.now() + PATIENCE_MS;
  let before: Picture | null = null;
  for (;;) {
    await frame();
    const view = find();
    const isLate = performance.now() > until;
    if (!view) {
      if (isLate) throw new Error("the view was not drawn");
      continue;
    }
    const now = pictureOf(view);
    const isReady = now.svg === before?.svg && !view.querySelector(UNREADY);
    if (isReady || isLate) return now;
    before = now;
  }
}
