// What a reader's browser remembers of the workbench: the layouts that were changed, and the arrangement that was on.
//
// It is in the browser's local storage, one record for all workbenches of a site. The notebook and the trace hold nothing of it. A record
// of another version, one that is damaged, and a storage that can't be used count as no memory.
import { ARRANGEMENTS, type Arrangement, type Width } from "./arrangements";
import type { Node, Part, Stack } from "./layout";

const KEY = "xg2lab/frame/1";
const MOST_CHARACTERS = 16 << 10;
const MOST_DEPTH = 8;
const MOST_STACKS = 24;
const MOST_PIXELS = 8192;
const MOST_ID = 40;

export interface Memory {
  arrangement: Arrangement | null;
  /** by arrangement and class of width, as `keyOf` writes it */
  layouts: Record<string, Node>;
}
export const keyOf = (arrangement: Arrangement, width: Width): string => `${arrangement}/${width}`;
const KEYS = new Set(
  ARRANGEMENTS.flatMap((one) => (["cell", "tab", "wide"] as const).map((width) => keyOf(one, width))),
);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A layout of JSON, checked and cut to the views that there are; null if it is none. */
export function readLayout(value: unknown, known: ReadonlySet<string>): Node | null {
  const seen = new Set<string>();
  const ids = new Set<string>();
  const readStack = ({ id, views, on }: Record<string, unknown>): Stack | null => {
    if (typeof id !== "string" || id.length > MOST_ID || ids.has(id) || !Array.isArray(views)) return null;
    ids.add(id);
    const own = views.filter((view): view is string => typeof view === "string" && known.has(view) && !seen.has(view));
    for (const view of own) seen.add(view);
    if (own.length === 0) return null;
    return { id, views: [...new Set(own)], on: typeof on === "string" && own.includes(on) ? on : null };
  };
  const read = (node: unknown, depth: number): Node | null => {
    if (!isObject(node) || depth > MOST_DEPTH || ids.size > MOST_STACKS) return null;
    if (!("parts" in node)) return readStack(node);
    const { dir, parts } = node;
    if ((dir !== "row" && dir !== "column") || !Array.isArray(parts)) return null;
    const own = parts.flatMap((part: unknown): Part[] => {
      const of = isObject(part) ? read(part.of, depth + 1) : null;
      if (!of || !isObject(part)) return [];
      const { size } = part;
      const isSize = typeof size === "number" && size >= 0 && size <= MOST_PIXELS;
      return [{ of, size: isSize ? size : null, ...(part.shut === true && { shut: true }) }];
    });
    const [only] = own;
    if (own.length < 2 && only) return only.of;
    if (own.every(({ shut }) => shut)) return null;
    return own.length === 0 ? null : { dir, parts: own };
  };
  return read(value, 0);
}

/** What is remembered. */
export function recall(known: readonly string[], storage: () => Storage = () => localStorage): Memory {
  const nothing: Memory = { arrangement: null, layouts: {} };
  try {
    const text = storage().getItem(KEY);
    if (!text || text.length > MOST_CHARACTERS) return nothing;
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return nothing;
    const views = new Set(known);
    const layouts = Object.entries(isObject(value.layouts) ? value.layouts : {}).flatMap(([key, layout]) => {
      const node = KEYS.has(key) ? readLayout(layout, views) : null;
      return node ? [[key, node] as const] : [];
    });
    const arrangement = ARRANGEMENTS.find((one) => one === value.arrangement) ?? null;
    return { arrangement, layouts: Object.fromEntries(layouts) };
  } catch {
    return nothing; // a storage that can't be read, or text that is no JSON
  }
}

/** Remember this; a record that would be too long, or a storage that refuses, changes nothing. */
export function remember(memory: Memory, storage: () => Storage = () => localStorage): void {
  const text = JSON.stringify(memory);
  if (text.length > MOST_CHARACTERS) return;
  try {
    storage().setItem(KEY, text);
  } catch {
    // the layout lasts as long as the page
  }
}

/** Whether two layouts show the same, tabs on top included. */
export const isSame = (a: Node, b: Node): boolean => JSON.stringify(a) === JSON.stringify(b);
