// The token ids of a failed request: pasted, replayed in a trace of their own, and told: which one breaks the grammar, where and why.
//
// Reader sees  a field for the ids or the log line that holds them; then the verdict, with the issue's text to copy and the way back to
//              the run there was. Browser -> Python: the text. Python -> browser: the verdict (trait `diagnosis`) and the steps.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { errorOf, notRecorded, python, type Refused } from "../../answers";
import { copyText } from "../../clipboard";
import { Glyph, Icon } from "../../parts/glyphs";
import { Refusal, Token } from "../../parts/small";
import type { Store } from "../../store";
import { plural } from "../../text";
import { NOTHING_SELECTED } from "../../trace";
import type { WireDiagnosis } from "../../wire";
import type { PastedProps } from "./view";

const ACCEPTED = ["ended", "complete", "unfinished"];
const SAID_MS = 2500;

function Field({ store, close }: { store: Store; close: () => void }) {
  const text = useSignal("");
  const failed = useSignal<Refused | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []); // before the next key
  const replay = () => {
    if (text.value.trim() === "") return;
    if (!store.canCommand.peek()) {
      const lines = [`found = session.diagnose(${python(text.value)})`, "print(found)"];
      failed.value = notRecorded("The diagnosis of other ids", ...lines);
      return;
    }
    failed.value = null;
    store.typed.value = null;
    store.link.channel.call("replay", { text: text.value }).then(close, (error: unknown) => {
      failed.value = errorOf(error);
    });
  };
  return (
    <form
      class="paste-ids"
      onSubmit={(event) => {
        event.preventDefault();
        replay();
      }}
    >
      <textarea
        class="field mono"
        ref={field}
        rows={3}
        spellcheck={false}
        placeholder="paste here: [791, 4320, 13], or the whole log line"
        aria-label="Token ids of a whole output, or a log line that contains them"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
          else if (event.key === "Enter" && !event.shiftKey) replay();
          else return;
          event.preventDefault();
        }}
      />
      <p class="xs faint">
        The ids of a whole output, or the log line that has them. A new trace takes them one by one; the current run is
        kept.
      </p>
      <span class="actions">
        <button type="submit" class="primary">
          replay <kbd>⏎</kbd>
        </button>
        <button type="button" onClick={close}>
          cancel <kbd>esc</kbd>
        </button>
      </span>
      {failed.value && <Refusal error={failed.value} />}
    </form>
  );
}

function Verdict({ store, found }: { store: Store; found: WireDiagnosis }) {
  const said = useSignal("");
  const shown = useSignal(false);
  const isWell = ACCEPTED.includes(found.kind);
  const copy = async () => {
    const copied = await copyText(found.issue);
    shown.value = !copied;
    said.value = copied ? "copied" : "select and copy";
    if (copied) setTimeout(() => (said.value = ""), SAID_MS);
  };
  const last = (store.link.trace.value?.steps.length ?? 1) - 1;
  const look = () =>
    store.select({ ...NOTHING_SELECTED, step: found.step >= last ? null : found.step, token: found.token_id });
  const hasToken = found.token_id !== null && found.kind !== "outside_vocabulary";
  return (
    <section class="diagnosis" data-diagnosis={found.kind} aria-label="Pasted ids">
      <p>
        <Glyph shape={isWell ? "yes" : "no"} />
        <b>
          pasted ids: {found.step} of {found.n_ids} accepted
        </b>
        <span class="faint xs">{found.source}</span>
      </p>
      {!isWell && (
        <p class="where">
          <span class="bad">{found.kind.replaceAll("_", " ")}</span> at step {found.step}, byte {found.byte}
          {found.token_id !== null && (
            <>
              : token <span class="mono">{found.token_id}</span> <Token text={found.text} />
            </>
          )}
        </p>
      )}
      <p class="dim">{found.reason}</p>
      {found.line && (
        <p class="dim">
          line {found.line.line}:{found.line.column} <code>{found.line.text}</code>
        </p>
      )}
      {found.hint && <p class="faint xs">{found.hint}</p>}
      <span class="actions">
        <button type="button" onClick={copy} title="Copy as the text of an issue, with lines that reproduce it">
          <Icon name="copy" /> copy repro
        </button>
        {hasToken && (
          <button type="button" onClick={look}>
            show it
          </button>
        )}
        {store.canCommand.value && (
          <button
            type="button"
            data-resume
            title="Return to the earlier trace; this one is kept"
            onClick={() => store.command("resume")}
          >
            <Icon name="back" /> back to the run
          </button>
        )}
        <span class="xs faint" role="status">
          {said.value}
        </span>
      </span>
      {shown.value && (
        <textarea class="field mono" readonly rows={8} aria-label="Text of the issue" value={found.issue} />
      )}
      <span class="unseen" role="status">
        {isWell ? "" : `${plural(found.n_ids, "id")}: ${found.reason}`}
      </span>
    </section>
  );
}

export const PastedIds = ({ store, diagnosis, open, close }: PastedProps) => (
  <div class="pasted">
    {open && <Field store={store} close={close} />}
    {diagnosis && <Verdict store={store} found={diagnosis} />}
  </div>
);
