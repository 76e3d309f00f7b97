// "copy as issue": the explanation as Markdown with lines that reproduce it. The kernel writes it; without one it is read in the replay.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { notRecorded } from "../../answers";
import { copyText } from "../../clipboard";
import { Icon } from "../../parts/glyphs";
import type { Store } from "../../store";
import type { Explanation, Step } from "../../wire";

const SAID_MS = 2500;

async function written(store: Store, step: Step, why: Explanation): Promise<string | null> {
  if (store.canCommand.peek()) {
    const subject = why.token_id === null ? { bytes: why.bytes } : { token: why.token_id };
    const told = await store.link.channel.call("issue", { step: step.index, ...subject }, 2000).catch(() => null);
    if (told) return told.content.text as string;
  }
  const replay = await store.link.replayUntil(step.index);
  const lines = replay?.steps[step.index]?.explain[why.token_id ?? -1]?.issue;
  return lines?.map((number) => replay?.issue_lines?.[number]).join("\n") ?? null;
}

export function CopyIssue({ store, step, why }: { store: Store; step: Step; why: Explanation }) {
  const said = useSignal("");
  /** the text itself, where the browser lets nobody copy: to be copied by hand */
  const shown = useSignal<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), [shown.value]);
  const copy = async () => {
    const text = await written(store, step, why);
    if (text === null) {
      const { message, hint } = notRecorded("This text");
      said.value = `${message} ${hint}`;
      return;
    }
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
