// Marks that a benchmark reads: from what the reader did to the frame that shows it.
//
// performance.getEntriesByName("xg2lab:step"), "xg2lab:select": duration in ms. "xg2lab:follow": from a selection to the frame in which
// all views in sight show it.

const begun = new Map<string, number>();

/** The reader did something; with several in flight, the first waits longest and is the one measured. */
export function asked(what: "step" | "select"): void {
  if (!begun.has(what)) begun.set(what, performance.now());
}

/** After the tasks that wait already. */
export function soon(work: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = work;
  port2.postMessage(null);
}

/** Once what has just changed is on the screen. */
export const afterPaint = (work: () => void): number => requestAnimationFrame(() => soon(work));

function measured(what: string, start: number): void {
  afterPaint(() => performance.measure(`xg2lab:${what}`, { start, end: performance.now() }));
}

/** Its result was handed to the views: measure when the next frame has been painted. */
export function answered(what: "step" | "select"): void {
  const start = begun.get(what);
  if (start === undefined) return;
  begun.delete(what);
  measured(what, start);
}

/** When the selection was made that the views are being told of; undefined while they are not. */
export const selectedAt = (): number | undefined => begun.get("select");

/** Views that came in turn after a selection have it, each of them. */
export function followed(since: number | undefined): void {
  if (since !== undefined) measured("follow", since);
}
