// ExampleBench: what the grammar should match and what it should not, judged while it is typed.
//
// Reader sees  a row an example: agreement is the tick, not the match. Python -> browser: rows with verdicts.
//              Browser -> Python: rows added, edited, flipped, deleted; the draft that is being written.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { copyText, Empty, NOTHING_SELECTED, Notice, Panel, Refusal, Seg, useFocusNext, useWidth } from "../kit";
import type { BenchRow } from "../wire";
import type { EditorProps } from "./entry";
import { ExampleRows } from "./example_rows";
import { type Draft, Writing } from "./example_writing";
import { countText, isAt, placeIn, type Shown } from "./examples";
import { PadStore } from "./pad_store";

const WIDE = 720;

export function ExampleBench({ handle, store }: EditorProps) {
  const pad = PadStore.of(handle);
  const state = pad.state.value;
  const shown = useSignal<Shown>("all");
  const writing = useSignal<(Draft & { first: string }) | null>(null);
  const selected = useSignal<number | null>(null);
  const exported = useSignal<string | null>(null);
  const [box, width] = useWidth();
  const wide = width >= WIDE;
  const rows = state?.rows ?? [];
  const listed = rows.filter((row) => isAt(row, shown.value));
  const stale = pad.good.value !== null && !pad.isGoodCurrent.value;
  const steps = store?.link.trace.value?.steps ?? [];
  const refusal = pad.refusal.value;

  const write = (row: BenchRow | null) => {
    const known = row ?? { row_id: null, should_match: true, text: "" };
    writing.value = { row_id: known.row_id, should_match: known.should_match, first: known.text };
  };
  const panel = () => box.current?.closest<HTMLElement>(".panel");
  const focusBack = useFocusNext(() => panel()?.querySelector<HTMLElement>(".example[tabindex='0'], .head .add"));
  const close = () => {
    writing.value = null;
    focusBack();
  };
  const open = (row: BenchRow) => {
    selected.value = row.row_id;
    const place = placeIn(steps, row);
    if (store && place) store.select({ ...NOTHING_SELECTED, ...place });
  };
  const leadsTo = (row: BenchRow) => {
    const place = placeIn(steps, row);
    return place && `chart at byte ${place.byte}, step ${place.step}`;
  };
  const toPytest = async () => {
    const text = await pad.pytest();
    if (text !== null) exported.value = (await copyText(text)) ? "copied" : text;
  };
  const count = countText(rows);
  const filter = rows.length > 3 && (
    <Seg<Shown>
      label="Which examples"
      options={[
        ["all", "all"],
        ["disagree", "disagree"],
        ["incomplete", "incomplete"],
      ]}
      on={shown.value}
      pick={(option) => {
        shown.value = option;
      }}
    />
  );
  const tools = (
    <>
      {wide && filter}
      <button type="button" class="add" title="Write an example (n)" onClick={() => write(null)}>
        + add
      </button>
    </>
  );
  const keys = (event: KeyboardEvent) => {
    const target = event.composedPath()[0];
    if (event.key !== "n" || target instanceof HTMLTextAreaElement || event.ctrlKey || event.metaKey) return;
    write(null);
    event.preventDefault();
    event.stopPropagation();
  };
  useEffect(() => {
    const at = panel(); // a focused panel is above the elements that are drawn here
    at?.addEventListener("keydown", keys);
    return () => at?.removeEventListener("keydown", keys);
  });
  return (
    <Panel
      readout={
        stale ? (
          "verdicts of the last good grammar"
        ) : (
          <span class={count.includes("disagree") ? "bad" : ""}>{count}</span>
        )
      }
      tools={tools}
    >
      <div ref={box} class={wide ? "bench is-wide" : "bench"} data-judged={state?.good_revision}>
        {stale && rows.length > 0 && (
          <Notice level="warning">
            {pad.isFresh.value
              ? "The grammar has errors: these verdicts belong to the last valid text."
              : "The examples are being judged: these verdicts belong to the previous text."}
          </Notice>
        )}
        {refusal && <Refusal error={refusal} />}
        {rows.length === 0 && !writing.value && (
          <div class="body">
            <Empty
              title="Pin down what you mean"
              actions={
                <>
                  <button type="button" onClick={() => write(null)}>
                    write one
                  </button>
                  {store && (
                    <button type="button" onClick={() => pad.fromSession()}>
                      from this run
                    </button>
                  )}
                </>
              }
            >
              Two examples that should match and one that should not find most mistakes. They are judged while you type.
            </Empty>
          </div>
        )}
        {!wide && filter && <p class="bench-filter">{filter}</p>}
        {rows.length > 0 && (
          <ExampleRows
            rows={listed}
            stale={stale}
            selected={selected.value}
            open={open}
            leadsTo={leadsTo}
            flip={(row) => pad.example("flip", { row_id: row.row_id })}
            edit={write}
            remove={(row) => pad.example("delete", { row_id: row.row_id })}
          />
        )}
        {writing.value && (
          <Writing
            key={String(writing.value.row_id)}
            pad={pad}
            draft={writing.value}
            first={writing.value.first}
            close={close}
          />
        )}
        {exported.value && exported.value !== "copied" && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
          <section class="lowered exported" tabIndex={0} aria-label="The examples as a test file">
            {exported.value}
          </section>
        )}
      </div>
      {rows.length > 0 && (
        <div class="foot" data-act>
          {wide && (
            <span>
              <kbd>⏎</kbd> chart at that byte <kbd>w</kbd> flip <kbd>e</kbd> edit <kbd>n</kbd> new
            </span>
          )}
          <span class="figures" />
          {store && (
            <button type="button" class="link" onClick={() => pad.fromSession()}>
              from this run
            </button>
          )}
          <button type="button" class="link" onClick={toPytest}>
            {exported.value === "copied" ? "copied as pytest" : "copy as pytest"}
          </button>
        </div>
      )}
    </Panel>
  );
}
