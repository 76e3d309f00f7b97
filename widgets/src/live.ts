// Which views of the page a widget shows: their saved outputs (saved.ts) stay hidden. One record a
// page, made by whoever comes first.
export interface Live {
  shown: Set<string>;
  changed: Set<() => void>;
}
const KEY = Symbol.for("xg2lab/live/1");
const scope = globalThis as unknown as Record<symbol, Live | undefined>;
export function live(): Live {
  scope[KEY] ??= { shown: new Set(), changed: new Set() };
  return scope[KEY];
}

/**
 * A widget shows the view. Its outputs stay hidden from then on: a widget without a kernel replays
 * by itself.
 */
export function isLive(view: string): void {
  const { shown, changed } = live();
  if (!view || shown.has(view)) return;
  shown.add(view);
  for (const tell of [...changed]) tell();
}
