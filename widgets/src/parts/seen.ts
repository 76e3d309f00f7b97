// Work that only matters to who can see it: reading positions makes the browser lay out even what it would have skipped.

/**
 * Do `action` in the next frame; for a view that is out of sight, when it comes into sight. Returns what calls it off.
 *
 * Whether it is in sight is asked in the frame too: asked at once, after some views have drawn and before others have, it would cost a
 * layout of its own.
 */
export function whenSeen(element: HTMLElement, action: () => void): () => void {
  const off = new AbortController();
  let frame = requestAnimationFrame(() => {
    const panel = element.closest(".panel");
    if (!panel || element.checkVisibility({ contentVisibilityAuto: true })) {
      action();
      return;
    }
    const changed = (event: Event) => {
      if ((event as ContentVisibilityAutoStateChangeEvent).skipped) return;
      off.abort();
      frame = requestAnimationFrame(action);
    };
    panel.addEventListener("contentvisibilityautostatechange", changed, { signal: off.signal });
  });
  return () => {
    off.abort();
    cancelAnimationFrame(frame);
  };
}
