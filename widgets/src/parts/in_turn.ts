// Work of many views that follow one selection: a task each, after the frame of the view that leads.
//
// IDEA  The browser handles what the reader does between tasks, not within one. So no move waits longer than one view takes to draw,
//       however many there are; and a view whose turn has not come when the next move is made draws once, not twice.
import { begin } from "../settled";
import { followed, selectedAt } from "../timing";

type Work = () => void;
const waiting = new Set<Work>();
let isUnderWay = false;
let since: number | undefined;
let end = () => {};
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => {
  const next = waiting.values().next().value;
  if (next) waiting.delete(next);
  // asked for before the work is done: a view that fails does not keep those behind it waiting
  isUnderWay = waiting.size > 0;
  if (isUnderWay) port2.postMessage(null);
  try {
    next?.();
  } finally {
    if (!isUnderWay) {
      followed(since);
      end();
    }
  }
};

/** Do this once after the next frame, behind what waits already. */
export function inTurn(work: Work): void {
  waiting.add(work);
  if (isUnderWay) return;
  isUnderWay = true;
  since = selectedAt();
  end = begin("views in turn");
  requestAnimationFrame(() => port2.postMessage(null));
}

/** It was done, or is no longer wanted. */
export function outOfTurn(work: Work): void {
  waiting.delete(work);
}
