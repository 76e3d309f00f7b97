// Work that only matters to who can see it: reading positions makes the browser lay out even what it would have skipped.

/** Do `action` in the next frame; for a view that is out of sight, when it comes into sight. Returns what calls it off. */
export function whenSeen(element: HTMLElement, action: () => void): () => void {
  const panel = element.closest(".panel");
  const off = new AbortController();
  let frame = 0;
  const soon = () => {
    frame = requestAnimationFrame(action);
  };
  if (!panel || element.checkVisibility({ contentVisibilityAuto: true })) soon();
  else
    panel.addEventListener(
      "contentvisibilityautostatechange",
      (event) => {
        if ((event as ContentVisibilityAutoStateChangeEvent).skipped) return;
        off.abort();
        soon();
      },
      { signal: off.signal },
    );
  return () => {
    off.abort();
    cancelAnimationFrame(frame);
  };
}
