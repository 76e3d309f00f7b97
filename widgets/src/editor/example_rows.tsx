// The rows of the bench: one tab stop, arrows between them, a letter for each thing that can be done.
//
// Keys  ↑ ↓ another row; ⏎ the chart at that byte; w should match, or should not; e edit; delete.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Glyph, micros, Token, useFocusNext } from "../kit";
import type { BenchRow } from "../wire";
import { cutAtByte, MOST_SHOWN, verdictText } from "./examples";

interface Acts {
  open: (row: BenchRow) => void;
  flip: (row: BenchRow) => void;
  edit: (row: BenchRow) => void;
  remove: (row: BenchRow) => void;
  /** what a click leads to, or null where the session's output is another */
  leadsTo: (row: BenchRow) => string | null;
}
interface Props extends Acts {
  rows: readonly BenchRow[];
  stale: boolean;
  selected: number | null;
}

const GLYPHS = { true: "yes", false: "no", null: "hint" } as const;
const NAMES = { true: "agrees", false: "disagrees", null: "not judged" } as const;

function Row({
  row,
  acts,
  stale,
  tab,
  selected,
}: {
  row: BenchRow;
  acts: Acts;
  stale: boolean;
  tab: number;
  selected: boolean;
}) {
  const { before, dead, after } = cutAtByte(row);
  const leads = acts.leadsTo(row);
  const expected = row.verdict === "match" || !row.verdict ? "" : row.expected;
  return (
    <li
      class={`${selected ? "is-selected" : ""} ${row.agrees === false ? "disagrees" : ""}`}
      data-row={row.row_id}
      data-verdict={row.verdict ?? ""}
      data-agrees={String(row.agrees)}
    >
      <span class={stale ? "v stale" : "v"}>
        <Glyph shape={GLYPHS[String(row.agrees) as keyof typeof GLYPHS]} />
      </span>
      <button
        type="button"
        class="plain example"
        tabIndex={tab}
        title={leads ?? "the session has a different text"}
        onClick={() => acts.open(row)}
      >
        <span class="text">
          <span class="unseen">{NAMES[String(row.agrees) as keyof typeof NAMES]}: </span>
          <Token text={before} />
          {dead && row.died_at !== null && <Token text={dead} cls="dead" />}
          <span class="faint">
            <Token text={after} />
          </span>
          {row.text === "" && <i class="faint">the empty text</i>}
        </span>
        <span class="want">{row.should_match ? "should match" : "should not"}</span>
        <span class="got">{verdictText(row)}</span>
        <span class="expected faint clip">
          {expected && `expected ${expected}`}
          {expected && row.line !== null && `; ${row.rule}, line ${row.line}`}
        </span>
        <span class="from faint">{row.origin || (row.us > 0 ? micros(row.us) : "")}</span>
      </button>
      <span class="row-tools">
        <button
          type="button"
          class="ghost"
          tabIndex={-1}
          title="Should match, or should not (w)"
          onClick={() => acts.flip(row)}
        >
          flip
        </button>
        <button type="button" class="ghost" tabIndex={-1} title="Edit (e)" onClick={() => acts.edit(row)}>
          edit
        </button>
        <button
          type="button"
          class="ghost"
          tabIndex={-1}
          title="Delete (delete)"
          aria-label="Delete this example"
          onClick={() => acts.remove(row)}
        >
          ×
        </button>
      </span>
    </li>
  );
}

export function ExampleRows({ rows, stale, selected, ...acts }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const current = useSignal(0);
  const shown = rows.slice(0, MOST_SHOWN);
  const at = Math.min(current.value, Math.max(0, shown.length - 1));
  const focusRow = useFocusNext(() => list.current?.querySelectorAll<HTMLElement>(".example")[current.peek()]);
  const focus = (k: number) => {
    current.value = Math.max(0, Math.min(k, shown.length - 1));
    focusRow();
  };
  const keys = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const row = shown[at];
    if (!target.classList.contains("example") || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    const acting: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(shown.length - 1),
      w: () => acts.flip(row),
      e: () => acts.edit(row),
      Delete: () => {
        acts.remove(row);
        focus(at);
      },
    };
    const act = acting[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <ul class={`examples ${stale ? "is-stale" : ""}`} ref={list} onKeyDown={keys} aria-label="Examples">
        {shown.map((row, k) => (
          <Row
            key={row.row_id}
            row={row}
            acts={acts}
            stale={stale}
            tab={k === at ? 0 : -1}
            selected={row.row_id === selected}
          />
        ))}
      </ul>
      {rows.length > MOST_SHOWN && (
        <p class="faint xs more-rows">{rows.length - MOST_SHOWN} more are judged, and not shown</p>
      )}
    </>
  );
}
