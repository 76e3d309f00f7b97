// Which views of the page a widget shows: their saved outputs (saved.ts) stay hidden. One record a page, made by whoever comes first.
export interface Live {
  /** by view: how far its session has come, as its outputs name it; null: it has none */
  shown: Map<string, () => string | null>;
  changed: Set<() => void>;
}
const KEY = Symbol.for("xg2lab/live/1");
const scope = globalThis as unknown as Record<symbol, Live | undefined>;
export function live(): Live {
  scope[KEY] ??= { shown: new Map(), changed: new Set() };
  return scope[KEY];
}

/** A widget shows the view. Its outputs stay hidden from then on: a widget without a kernel replays by itself. */
export function isLive(view: string, cameTo: () => string | null): void {
  const { shown, changed } = live();
  if (!view) return;
  shown.set(view, cameTo);
  for (const tell of [...changed]) tell();
}
