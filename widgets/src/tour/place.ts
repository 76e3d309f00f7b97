// Where a card stands: beside the pane that it is about, inside the widget's box, and over the pane only where no side has room.
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}
export interface Size {
  width: number;
  height: number;
}
const GAP = 12;
const EDGE = 8;
/** Below the head of the pane. */
const BELOW_HEAD = 32;

const within = (at: number, least: number, most: number) => Math.max(least, Math.min(at, most));

/** The upper left corner of a card, relative to the widget like the pane: right of the pane, left of it, below, above, or inside at the end. */
export function placeBeside(pane: Box, card: Size, widget: Size): { left: number; top: number } {
  const most = { left: widget.width - card.width - EDGE, top: widget.height - card.height - EDGE };
  const top = within(pane.top + BELOW_HEAD, EDGE, Math.max(EDGE, most.top));
  const left = within(pane.left, EDGE, Math.max(EDGE, most.left));
  const right = pane.left + pane.width + GAP;
  if (right <= most.left) return { left: right, top };
  if (pane.left - GAP - card.width >= EDGE) return { left: pane.left - GAP - card.width, top };
  const below = pane.top + pane.height + GAP;
  if (below <= most.top) return { left, top: below };
  if (pane.top - GAP - card.height >= EDGE) return { left, top: pane.top - GAP - card.height };
  const end = { left: pane.left + pane.width - card.width - GAP, top: pane.top + pane.height - card.height - GAP };
  return {
    left: within(end.left, EDGE, Math.max(EDGE, most.left)),
    top: within(end.top, EDGE, Math.max(EDGE, most.top)),
  };
}
