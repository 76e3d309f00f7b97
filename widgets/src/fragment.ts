// A selection as the fragment of a page's address: `#step=3&token=268`. Pure.
//
// An exported page keeps its fragment beside what is selected, so its address is a link to this step, this token, this byte. Whoever opens
// the link may hold another export of the session, or a mistyped text: what is no number is nothing, and no view takes a number for granted.
import { NOTHING_SELECTED } from "./trace";
import type { Selection } from "./wire";

type Part = keyof Selection;
const PARTS = Object.keys(NOTHING_SELECTED) as Part[];
const NUMBER = /^\d{1,9}$/;
const ITEM = /^(\d{1,9})\.(\d{1,9})$/;

/** The fragment of a selection, without its "#"; empty if nothing is selected. */
export function fragmentOf(selection: Selection): string {
  const text = (part: Part): string => {
    const value = selection[part];
    return Array.isArray(value) ? value.join(".") : `${value}`;
  };
  return PARTS.filter((part) => selection[part] !== null)
    .map((part) => `${part}=${text(part)}`)
    .join("&");
}

/** The selection that a fragment names; null if it names none. Parts that it does not name are not selected. */
export function selectionOf(fragment: string): Selection | null {
  const named = new URLSearchParams(fragment.replace(/^#/, ""));
  const found: Partial<Record<Part, Selection[Part]>> = {};
  for (const part of PARTS) {
    const text = named.get(part) ?? "";
    const [, column, item] = ITEM.exec(text) ?? [];
    if (part === "item" && column !== undefined) found.item = [Number(column), Number(item)];
    else if (part !== "item" && NUMBER.test(text)) found[part] = Number(text);
  }
  return Object.keys(found).length === 0 ? null : ({ ...NOTHING_SELECTED, ...found } as Selection);
}
