// ExampleBench: what the grammar should match and what it should not, judged while it is typed.
//
// Reader sees  a row an example: agreement is the tick, not the match. Python -> browser: rows with verdicts.
//              Browser -> Python: rows added, edited, flipped, deleted; the draft that is being written.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { copyText } from "../clipboard";
import { Glyph } from "../parts/glyphs";
import { Empty, Notice, Panel, Seg, useWidth } from "../parts/small";
import { NOTHING_SELECTED } from "../trace";
import type { EditorProps } from "./entry";
import { ExampleRows } from "./example_rows";
import { countText, isAt, placeIn, type Shown, verdictText } from "./examples";
import { PadStore } from "./pad_store";
import type { BenchRow } from "./pad_wire";

interface Draft {
  row_id: number | null; // of the row that is edited; null: a new one
  should_match: boolean;
}
const REST_MS = 90;
const WIDE = 720;

/** Writing one, judged as it is typed. */
function Writing({ pad, draft, first, close }: { pad: PadStore; draft: Draft; first: string; close: () => void }) {
  const text = useSignal(first);
  const wanted = useSignal(draft.should_match);
  const verdict = useSignal<BenchRow | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const good = pad.good.value?.revision;
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    let left = false;
    const rest = setTimeout(() => {
      pad.judge(text.peek()).then((row) => {
        if (!left) verdict.value = row;
      });
    }, REST_MS);
    return () => {
      left = true;
      clearTimeout(rest);
    };
  }, [text.value, good, pad]);
  const save = () => {
    if (draft.row_id === null) pad.example("add", { text: text.peek(), should_match: wanted.peek() });
    else pad.example("edit", { row_id: draft.row_id, text: text.peek() });
    close();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey) save();
    else if (event.key === "Escape") close();
    else return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
  };
  const row = verdict.value;
  return (
    <div class="bench-edit">
      <textarea
        ref={field}
        class="field-text mono"
        aria-label="Text of the example"
        rows={Math.min(6, text.value.split("\n").length)}
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={keys}
      />
      <div class="bench-live">
        <span role="status" class="judged">
          {row && (
            <>
              <Glyph shape={row.verdict === "match" ? "yes" : row.verdict === "incomplete" ? "hint" : "no"} />
              {row.verdict === "incomplete" ? "incomplete so far" : verdictText(row)}
              {row.expected && <span class="faint clip">next: {row.expected}</span>}
            </>
          )}
        </span>
        {draft.row_id === null && (
          <Seg
            label="Should it match?"
            options={[
              ["yes", "should match"],
              ["no", "should not"],
            ]}
            on={wanted.value ? "yes" : "no"}
            pick={(option) => {
              wanted.value = option === "yes";
            }}
          />
        )}
        <button type="button" class="primary" onClick={save}>
          {draft.row_id === null ? "add" : "save"} <kbd>⏎</kbd>
        </button>
        <button type="button" onClick={close}>
          cancel
        </button>
      </div>
    </div>
  );
}

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
  const close = () => {
    writing.value = null;
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(".example[tabindex='0'], .head button")?.focus(),
    );
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
  const tools = (
    <>
      {rows.length > 3 && (
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
      )}
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
  return (
    <Panel
      name="example-bench"
      title="Examples"
      readout={
        stale ? (
          "verdicts of the last good grammar"
        ) : (
          <span class={count.includes("disagree") ? "bad" : ""}>{count}</span>
        )
      }
      tools={tools}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one key for the whole panel, which its button has too */}
      <div ref={box} class={wide ? "bench wide" : "bench"} onKeyDown={keys} data-judged={state?.good_revision}>
        {stale && rows.length > 0 && (
          <Notice level="warning">
            {pad.isFresh.value
              ? "The grammar has errors: these verdicts belong to the text before."
              : "The text is being judged: these verdicts belong to the text before."}
          </Notice>
        )}
        {refusal && (
          <Notice level="error" more={refusal.hint ?? ""}>
            <b>{refusal.type}</b> {refusal.message}
          </Notice>
        )}
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
        <div class="foot">
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
