// Below the chart and the tree: the selected item in full, the text that it has read, and its line of the grammar.

import type { Store } from "../../store";
import { cut, visible } from "../../text";
import type { Trace } from "../../wire";
import { decoded } from "./derivation/layout";
import { outputBytes } from "./layout/chart";
import { dotOf } from "./layout/text";
import { grammarLine, selectionIn } from "./written";

const [MOST_TEXT, MOST_LINE] = [48, 160];

export function ItemLine({ store, trace }: { store: Store; trace: Trace }) {
  const { item } = selectionIn(store, trace);
  const row = item && trace.chart.columns[item[0] as number]?.[item[1] as number];
  const state = row && trace.program.states[row[0]];
  if (!item || !row || !state) return null;
  const read = visible(decoded(outputBytes(trace.steps).slice(row[1], item[0])));
  const place = grammarLine(trace, state.id);
  return (
    <p class="xs item-line" data-item-line>
      <span class="mono">
        {trace.program.rules[state.rule]?.name} → {state.before}
        <b class="dot">{dotOf(state)}</b>
        {state.after}
      </span>
      <span class="faint">
        bytes {row[1]}–{item[0]}
      </span>
      {read && <span class="mono">{cut(read, MOST_TEXT)}</span>}
      {place && (
        <span class="mono faint" data-grammar-line={place.line}>
          line {place.line}: {cut(place.text.slice(0, place.begin).trimStart(), MOST_LINE)}
          <mark>{cut(place.text.slice(place.begin, place.end), MOST_LINE)}</mark>
          {cut(place.text.slice(place.end), MOST_LINE)}
        </span>
      )}
    </p>
  );
}
