// Where a JSON Pointer leads in a text of JSON, as far as the text can be read. Pure.
//
// The page finds places itself: the text may be ahead of the kernel while it is typed, and an exported page has no kernel. A text
// need not be JSON yet. Where it is, xg2lab/support/places.py finds the same: both read tests/cases/json_places.json.
const LEXEMES = /("[^"\\]*(?:\\.[^"\\]*)*")|([{[])|([}\]])|,|([^\s{}[\],:"]+)/gs;

interface Open {
  pointer: string;
  begin: number;
  isList: boolean;
  count: number;
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** From the key, if there is one, to the value's end; null where no value is found. */
export function placeOf(text: string, pointer: string): [from: number, to: number] | null {
  const open: Open[] = [];
  let key: { name: string; at: number } | null = null;
  let begun = 0;
  for (const found of text.matchAll(LEXEMES)) {
    const [whole, string, opening, closing, word] = found;
    const [at, above] = [found.index, open.at(-1)];
    if (closing) {
      const closed = open.pop();
      if (closed?.pointer === pointer) return [closed.begin, at + 1];
    } else if (string && !key && above && !above.isList) {
      try {
        key = { name: JSON.parse(string) as string, at };
      } catch {
        return null;
      }
    } else if (string || opening || word) {
      const step = above ? `${above.pointer}/${above.isList ? above.count++ : escaped(key?.name ?? "")}` : "";
      begun = key?.at ?? at;
      if (opening) open.push({ pointer: step, begin: begun, isList: opening === "[", count: 0 });
      else if (step === pointer) return [begun, at + whole.length];
      key = null;
    }
  }
  return null;
}
