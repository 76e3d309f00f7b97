// Scrolling that happens only where it must.
import { zoomOf } from "./place";

/** Brings a part of a box into its middle, if it is out of sight: nothing moves that need not. */
export function reveal(box: HTMLElement, part: Element | null): void {
  if (!part) return;
  const [frame, mark, zoom] = [box.getBoundingClientRect(), part.getBoundingClientRect(), zoomOf(box)];
  if (mark.left < frame.left + 8 || mark.right > frame.right - 8)
    box.scrollLeft += (mark.left - frame.left - frame.width / 2) / zoom;
  if (mark.top < frame.top + 8 || mark.bottom > frame.bottom - 8)
    box.scrollTop += (mark.top - frame.top - frame.height / 2) / zoom;
}
