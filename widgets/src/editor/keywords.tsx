// What became of each keyword of a JSON Schema: kept, left out, refused, or one that checks nothing; a click goes to its line.
import { Glyph, Table } from "../kit";
import type { Shape } from "../parts/glyphs";
import type { Keyword } from "../wire";

const STATES: Record<Keyword["state"], [shape: Shape, words: string]> = {
  enforced: ["yes", "compiled exactly"],
  annotation: ["hint", "checks nothing"],
  relaxed: ["warning", "relaxed"],
  refused: ["error", "refused"],
};
/** Lines' bars: the gravest state of the keywords on each. */
const ORDER: Keyword["state"][] = ["annotation", "enforced", "relaxed", "refused"];
export function keywordBars(keywords: readonly Keyword[]): Map<number, string> {
  const worst = new Map<number, Keyword["state"]>();
  for (const { line, state } of keywords) {
    const known = worst.get(line);
    if (!known || ORDER.indexOf(state) > ORDER.indexOf(known)) worst.set(line, state);
  }
  return worst;
}
export function keywordCounts(keywords: readonly Keyword[]): string {
  const n = (state: Keyword["state"]) => keywords.filter((keyword) => keyword.state === state).length;
  const all = (["enforced", "relaxed", "refused", "annotation"] as const).filter((state) => n(state) > 0);
  return all.map((state) => `${n(state)} ${STATES[state][1]}`).join(", ");
}

export function Keywords(props: { keywords: readonly Keyword[]; go: (keyword: Keyword) => void }) {
  return (
    <Table heads={["(state)", "keyword", "#line", "became"]} label="Keywords" cls="keywords">
      {props.keywords.map((keyword) => (
        <tr key={keyword.pointer} data-pointer={keyword.pointer} data-state={keyword.state}>
          <td>
            <Glyph shape={STATES[keyword.state][0]} />
          </td>
          <td>
            <button type="button" class="link mono" onClick={() => props.go(keyword)}>
              {keyword.pointer.split("/").flatMap((part, k) => (k === 0 ? [] : [<wbr key={part} />, `/${part}`]))}
            </button>
          </td>
          <td class="num">{keyword.line}</td>
          <td class="note">
            {STATES[keyword.state][1]} <span class="faint">{keyword.note}</span>
          </td>
        </tr>
      ))}
    </Table>
  );
}
