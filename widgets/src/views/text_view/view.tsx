// TextView: the prompt, or the messages of the chat, and what was written after them: token by token, marked by what chose each.
//
// A click on a token selects its step. The prompt is edited in its place, and "again" runs the session from its start.
import { useSignal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { useContext, useEffect, useMemo, useRef } from "preact/hooks";
import { memo } from "../../parts/memo";
import { notesBySteps } from "../../parts/notes";
import { PaneContext } from "../../parts/pane";
import { reveal } from "../../parts/reveal";
import { Panel } from "../../parts/small";
import type { Store } from "../../store";
import { plural, visibleRuns } from "../../text";
import type { PanelProps } from "../../view";
import type { ChatMessage, Kind, Step } from "../../wire";

/** A pane lower than this shows the last message and the output in a line each. */
const LOW = 150;
const LEGEND: readonly [kind: Kind, words: string][] = [
  ["sampled", "chosen by the model"],
  ["forced_by_grammar", "the grammar left one token"],
  ["jump_forward", "jumped forward"],
  ["forced_by_user", "forced by the user"],
];

/** A token where it stands: lines break after a line feed, which is shown all the same. */
const Piece = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=\n)/).map((line, k) => (
      <Fragment key={k}>
        {visibleRuns(line).map(([run, dim]) => (dim ? <i class="ws">{run}</i> : run))}
        {line.endsWith("\n") && <br />}
      </Fragment>
    ))}
  </>
);

const Token = memo(({ step, on, note }: { step: Step; on: boolean; note: string | undefined }) => (
  <span class="t" data-step={step.index} data-kind={step.kind} data-on={on || undefined} data-note={note} title={note}>
    {step.kind === null ? <i class="caret" /> : <Piece text={step.text} />}
  </span>
));

/** What was written; of a long run, the whole of it, since the browser breaks its lines. */
function Written({ store }: { store: Store }) {
  const steps = store.link.trace.value?.steps ?? [];
  const at = store.step.value?.index ?? -1;
  const annotations = store.link.trace.value?.annotations;
  const notes = useMemo(() => notesBySteps(annotations), [annotations]);
  const box = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (box.current) reveal(box.current, box.current.querySelector(`[data-step="${at}"]`));
  }, [at]);
  const select = (event: MouseEvent) => {
    const token = (event.target as Element).closest<HTMLElement>("[data-step]");
    if (token) store.goTo(Number(token.dataset.step));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the whole widget move the cursor (shift ← →)
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
    <p class="written mono" ref={box} tabIndex={0} onClick={select}>
      {steps.map((step) => (
        <Token key={step.index} step={step} on={step.index === at} note={notes.get(step.index)} />
      ))}
    </p>
  );
}

interface Editing {
  text: string;
  done(text: string): void;
  leave(): void;
}
/** A field in the place of what it changes: ⏎ with ctrl begins again with it, esc leaves it as it was. */
function Field({ text, done, leave }: Editing) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") leave();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) done(field.current?.value ?? text);
    else return;
    event.preventDefault();
  };
  return (
    <div class="edited">
      <textarea ref={field} class="mono" rows={3} aria-label="The prompt" onKeyDown={keys}>
        {text}
      </textarea>
      <div>
        <button type="button" class="primary" onClick={() => done(field.current?.value ?? text)}>
          begin again with it
        </button>
        <button type="button" class="ghost" onClick={leave}>
          leave it
        </button>
        <span class="xs faint">ctrl ⏎, esc</span>
      </div>
    </div>
  );
}

/** `kind`: what a low pane leaves out is not `last`. */
const Row = ({ label, kind, children }: { label: string; kind: string; children: ComponentChildren }) => (
  <>
    <dt class={kind}>{label}</dt>
    <dd class={kind}>{children}</dd>
  </>
);

/** What the model read: the messages, with the text that the chat template makes of them on demand; or the prompt. */
function Read({ store, editing, leave }: { store: Store; editing: boolean; leave(): void }) {
  const whole = useSignal(false);
  const header = store.link.trace.value?.header;
  if (!header) return null;
  const { prompt, messages } = header;
  const begin = (body: object) => {
    store.command("reset", body);
    leave();
  };
  const Text = ({ text }: { text: string }) => <span class="read">{text}</span>;
  if (!messages)
    return (
      <Row label="prompt" kind="last">
        {editing ? (
          <Field text={prompt} leave={leave} done={(text) => begin({ prompt: text })} />
        ) : prompt ? (
          <Text text={prompt} />
        ) : (
          <span class="faint">none: the model begins with its start token</span>
        )}
      </Row>
    );
  const last = messages.findLastIndex(({ role }) => role === "user");
  const changed = (text: string): ChatMessage[] =>
    messages.map((message, k) => (k === last ? { ...message, content: text } : message));
  return (
    <>
      {messages.map((message, k) => (
        <Row key={`${k}${message.role}`} label={message.role} kind={k === last ? "last" : ""}>
          {editing && k === last ? (
            <Field text={message.content} leave={leave} done={(text) => begin({ messages: changed(text) })} />
          ) : (
            <Text text={message.content} />
          )}
        </Row>
      ))}
      <Row label="" kind="">
        <button
          type="button"
          class="link xs"
          aria-expanded={whole.value}
          onClick={() => {
            whole.value = !whole.value;
          }}
        >
          {whole.value ? "hide" : "show"} the prompt that the chat template makes of them
        </button>
        {whole.value && <span class="mono read">{prompt}</span>}
      </Row>
    </>
  );
}

/** From here on the reader is told how much the model can still read. */
const NEAR = 64;

/** How many tokens there are, and near the end of what the model can read how many more it can. */
function countText(n: number, most: number | null | undefined): string {
  const left = most == null ? Number.POSITIVE_INFINITY : Math.max(0, most - n);
  if (left > NEAR) return plural(n, "token");
  return `${plural(n, "token")}; the model can read ${left === 0 ? "no more" : `${left} more`}`;
}

export function TextView({ store }: PanelProps) {
  const editing = useSignal(false);
  const trace = store.link.trace.value;
  const taken = trace?.steps.filter((step) => step.kind !== null) ?? [];
  const kinds = new Map<Kind | null, number>();
  for (const { kind } of taken) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const hasModel = trace?.header.model != null;
  const canBegin = store.canCommand.value && hasModel;
  const leave = () => {
    editing.value = false;
  };
  const tools = hasModel && (
    <>
      <button
        type="button"
        class="ghost"
        data-key="m"
        disabled={!canBegin}
        title="Edit the prompt (m)"
        onClick={() => {
          editing.value = true;
        }}
      >
        edit
      </button>
      <button
        type="button"
        class="ghost"
        data-key="a"
        disabled={!canBegin || store.isRunning}
        title="Again: from the start with the same prompt, as far as it goes (a)"
        onClick={() => {
          store.command("reset");
          store.command("run");
        }}
      >
        again
      </button>
    </>
  );
  const height = useContext(PaneContext)?.height ?? null;
  const isLow = height !== null && height < LOW && !editing.value;
  return (
    <Panel readout={countText(taken.length, trace?.header.most_tokens)} tools={tools}>
      <div class={isLow ? "text body is-low" : "text body"}>
        <dl>
          {hasModel && <Read store={store} editing={editing.value} leave={leave} />}
          <Row label="output" kind="last">
            <Written store={store} />
          </Row>
        </dl>
        <p class="legend xs" hidden={isLow}>
          {LEGEND.filter(([kind]) => kinds.has(kind)).map(([kind, words]) => (
            <span key={kind}>
              <i class="t" data-kind={kind} /> {kinds.get(kind)} {words}
            </span>
          ))}
        </p>
      </div>
    </Panel>
  );
}
