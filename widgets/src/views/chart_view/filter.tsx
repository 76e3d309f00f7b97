// Which rules the chart shows: a switch for each, those with items in sight first.
//
// Reader sees  a chip a rule with its items in the column under the cursor, how many are hidden, and whether the selection is. A first
//              choice shows that rule alone, others join it; without any, all are shown. Nothing is told to Python.
import { type Signal, useSignal } from "@preact/signals";
import { Icon } from "../../parts/glyphs";
import { plural } from "../../text";
import type { PanelProps } from "../../view";
import type { Trace } from "../../wire";
import { selectionIn } from "./written";

export interface FilterProps extends PanelProps {
  trace: Trace;
  column: number;
  /** rules with items in sight, in their order */
  here: readonly number[];
  only: Signal<ReadonlySet<number> | null>;
  close: () => void;
}
const MOST_CHIPS = 40;

export function ChartFilter({ store, trace, column, here, only, close }: FilterProps) {
  const query = useSignal("");
  const focus = useSignal(0);
  const { rules, states } = trace.program;
  const name = (rule: number) => rules[rule]?.name ?? "?";
  const count = new Map<number, number>();
  for (const [state] of trace.chart.columns[column] ?? []) {
    const rule = states[state]?.rule ?? 0;
    count.set(rule, (count.get(rule) ?? 0) + 1);
  }
  const chosen = only.value;
  const isFirst = (rule: number) => here.includes(rule) || chosen?.has(rule);
  const all = rules.map((rule) => rule.id);
  const found = [...all.filter(isFirst), ...all.filter((rule) => !isFirst(rule))].filter((rule) =>
    name(rule).toLowerCase().includes(query.value.toLowerCase()),
  );
  const chips = found.slice(0, MOST_CHIPS);
  const nHidden = chosen ? [...count].reduce((n, [rule, items]) => n + (chosen.has(rule) ? 0 : items), 0) : 0;
  const selected = selectionIn(store, trace).rule;
  const toggle = (rule: number) => {
    const next = new Set(chosen);
    if (!next.delete(rule)) next.add(rule);
    only.value = next.size > 0 ? next : null;
  };
  const at = Math.min(focus.value, chips.length - 1);
  const keys = (event: KeyboardEvent) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: chips.length - 1 }[event.key];
    if (event.shiftKey || event.altKey || to === undefined) return;
    event.preventDefault();
    focus.value = Math.max(0, Math.min(chips.length - 1, to));
    (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=switch]")[focus.value]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: escape leaves what is inside, where a button does the same
    <div
      class="chart-filter"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <label class="field">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Find a rule; enter shows the first one found"
          placeholder="rule"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && chips[0] !== undefined) toggle(chips[0]);
          }}
        />
      </label>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset brings a box and a legend that a row of chips has no use for */}
      <div class="chips" role="group" aria-label="Rules that are shown" onKeyDown={keys}>
        {chips.map((rule, k) => (
          <button
            key={rule}
            type="button"
            role="switch"
            aria-checked={chosen?.has(rule) ?? false}
            class={`chip mono${isFirst(rule) ? "" : " away"}`}
            data-rule={name(rule)}
            tabIndex={k === at ? 0 : -1}
            onFocus={() => {
              focus.value = k;
            }}
            onClick={() => toggle(rule)}
          >
            {name(rule)} <i>{count.get(rule) ?? 0}</i>
          </button>
        ))}
        {found.length > chips.length && (
          <span class="faint">{found.length - chips.length} more: type a part of a name</span>
        )}
        {found.length === 0 && <span class="faint">no rule has this name</span>}
      </div>
      <p class="xs faint" role="status">
        {chosen
          ? `${plural(chosen.size, "rule")} of ${rules.length}; ${plural(nHidden, "item")} of column ${column} hidden`
          : "all rules; as many lanes are drawn as there is room for"}
        {chosen && (
          <button
            type="button"
            class="link xs"
            onClick={() => {
              only.value = null;
            }}
          >
            show all
          </button>
        )}
        {chosen && selected !== null && !chosen.has(selected) && (
          <span data-hidden-selection>
            The selection is in <b class="mono">{name(selected)}</b>, which is hidden.
            <button type="button" class="link xs" onClick={() => toggle(selected)}>
              show it
            </button>
          </span>
        )}
      </p>
    </div>
  );
}
