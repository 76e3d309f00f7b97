// "copy as issue": the explanation as Markdown with lines that reproduce it. The kernel writes it, with versions; offline the page does.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { copyText } from "../../clipboard";
import { Icon } from "../../parts/glyphs";
import type { Store } from "../../store";
import type { Explanation, Step, Trace } from "../../wire";
import { issueText } from "./layout/issue";

const SAID_MS = 2500;

async function writtenBy(store: Store, trace: Trace, step: Step, why: Explanation): Promise<string> {
  if (store.canCommand.peek()) {
    const subject = why.token_id === null ? { bytes: why.bytes } : { token: why.token_id };
    const told = await store.link.channel.call("issue", { step: step.index, ...subject }, 2000).catch(() => null);
    if (told) return told.content.text as string;
  }
  return issueText(trace, step, why);
}

export function CopyIssue({ store, trace, step, why }: { store: Store; trace: Trace; step: Step; why: Explanation }) {
  const said = useSignal("");
  /** the text itself, where the browser lets nobody copy: to be copied by hand */
  const shown = useSignal<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), [shown.value]);
  const copy = async () => {
    const text = await writtenBy(store, trace, step, why);
    const copied = await copyText(text);
    shown.value = copied ? null : text;
    said.value = copied ? "copied" : "select and copy";
    if (copied) setTimeout(() => (said.value = ""), SAID_MS);
  };
  return (
    <div class="issue" data-act>
      <button
        type="button"
        title="Copy as the text of an issue: the facts, and lines that reproduce them"
        onClick={copy}
      >
        <Icon name="copy" /> copy as issue
      </button>
      <span class="xs faint" role="status">
        {said.value}
      </span>
      {shown.value !== null && (
        <textarea class="field mono" ref={field} readonly rows={8} aria-label="Text of the issue" value={shown.value} />
      )}
    </div>
  );
}
