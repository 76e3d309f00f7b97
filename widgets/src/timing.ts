// Marks that a benchmark reads: from what the reader did to the frame that shows it.
//
// performance.getEntriesByName("xg2lab:step"), "xg2lab:select": duration in ms.

const begun = new Map<string, number>();

/** The reader did something; with several in flight, the first waits longest and is the one measured. */
export function asked(what: "step" | "select"): void {
  if (!begun.has(what)) begun.set(what, performance.now());
}

/** Its result was handed to the views: measure when the next frame has been painted. */
export function answered(what: "step" | "select"): void {
  const start = begun.get(what);
  if (start === undefined) return;
  begun.delete(what);
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => performance.measure(`xg2lab:${what}`, { start, end: performance.now() });
    port2.postMessage(null);
  });
}
