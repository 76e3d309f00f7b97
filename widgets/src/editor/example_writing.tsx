// An example being written: judged by the last good grammar as it is typed; enter keeps it, escape drops it.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Glyph, Seg } from "../kit";
import type { BenchRow } from "../wire";
import { verdictText } from "./examples";
import type { PadStore } from "./pad_store";

export interface Draft {
  row_id: number | null; // of the row that is edited; null: a new one
  should_match: boolean;
}
const REST_MS = 90;

export function Writing({
  pad,
  draft,
  first,
  close,
}: {
  pad: PadStore;
  draft: Draft;
  first: string;
  close: () => void;
}) {
  const text = useSignal(first);
  const wanted = useSignal(draft.should_match);
  const verdict = useSignal<BenchRow | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const good = pad.good.value?.revision;
  useLayoutEffect(() => field.current?.focus(), []); // before the next key
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
    else {
      // letters are text here, not keys of the bench; F6 and alt with a digit leave the field
      if (event.key !== "F6" && !event.altKey) event.stopPropagation();
      return;
    }
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
