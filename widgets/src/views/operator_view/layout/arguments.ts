// The arguments of a template in words: what a JSON Pointer names. Pure.
//
// Bytes and grammars are written as xg2lab/lab/session/instances.py says.

const MOST_CHARACTERS = 60;

const partsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The value that a pointer names, or undefined. An object of the user's with names that begin with $ is in `$value`. */
export function argumentAt(values: unknown, pointer: string): unknown {
  let at = values;
  for (const part of partsOf(pointer)) {
    if (at === null || typeof at !== "object") return undefined;
    const members = ("$value" in at ? at.$value : at) as Record<string, unknown>;
    at = Object.hasOwn(members, part) ? members[part] : undefined;
  }
  return at;
}

/** A value in a few words: JSON, cut where it is long; a grammar by its name. */
export function argumentText(value: unknown): string {
  if (value !== null && typeof value === "object" && "$grammar" in value) return "a grammar";
  if (value !== null && typeof value === "object" && "$bytes" in value) return `bytes ${value.$bytes}`;
  const text = JSON.stringify(value) ?? "";
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}
