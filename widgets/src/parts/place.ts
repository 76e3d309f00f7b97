// Where a pointer is in an element, in the element's own pixels. A presenter's workbench is drawn larger by CSS `zoom`: positions of the
// page are then in larger pixels than those that drawings count in.

/** How many pixels of the page one pixel of the element is; 1 in browsers that can't say it. */
export const zoomOf = (element: Element | null | undefined): number =>
  (element as { currentCSSZoom?: number } | null | undefined)?.currentCSSZoom ?? 1;

/** The pointer's distance from the left and upper edge of an element. */
export function placeIn(event: MouseEvent, element = event.currentTarget as Element): { x: number; y: number } {
  const { left, top } = element.getBoundingClientRect();
  const zoom = zoomOf(element);
  return { x: (event.clientX - left) / zoom, y: (event.clientY - top) / zoom };
}
