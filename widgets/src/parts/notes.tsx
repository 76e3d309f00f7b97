// Notes that an author left in the trace: plain text at a step, at a token of a step, or at a rule. A view shows those of its subject; the
// workbench shows all, and adds some. Where no kernel answers they are read, not changed.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { errorOf } from "../answers";
import type { Store } from "../store";
import { visible } from "../text";
import { ruleOf } from "../trace";
import type { Annotation, Trace } from "../wire";
import { Seg } from "./small";

const MOST_CHARACTERS = 2000;
const NONE: readonly Annotation[] = [];

/** What a note is about, or what a view shows: a step, a token of that step, or a rule. */
export type About = Pick<Annotation, "step" | "token" | "rule">;
export const notesAbout = (trace: Trace | null | undefined, about: About): readonly Annotation[] =>
  trace?.annotations?.filter((note) =>
    (["step", "token", "rule"] as const).every((part) => note[part] === about[part]),
  ) ?? NONE;
/** All notes of each step, its tokens' included, in one text. */
export function notesBySteps(notes: readonly Annotation[] = NONE): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const { step, text } of notes)
    if (step !== undefined) texts.set(step, texts.has(step) ? `${texts.get(step)}\n${text}` : text);
  return texts;
}

/** What can be noted of the selection, the most special last. */
function subjectsOf(store: Store): readonly (About & { name: string; words: string })[] {
  const [trace, step, { token, rule: chosen }] = [store.link.trace.value, store.step.value, store.selection.value];
  if (!trace || !step) return [];
  const rule = ruleOf(trace.program, chosen)?.name;
  const at = { step: step.index };
  const text = token === null ? "" : visible(store.link.vocabulary.value?.text(token) ?? `${token}`);
  return [
    { ...at, name: "step", words: `step ${step.index}` },
    ...(token === null ? [] : [{ ...at, token, name: "token", words: `token ${text}` }]),
    ...(rule === undefined ? [] : [{ rule, name: "rule", words: `rule ${rule}` }]),
  ];
}

interface FieldProps {
  label: string;
  text: string;
  done: string;
  save(text: string): void;
  leave(): void;
}
/** ctrl ⏎ keeps what was written, esc leaves it. */
function Field({ label, text, done, save, leave }: FieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const written = useSignal(text);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Escape") leave();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && written.value.trim()) save(written.value);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="note-field">
      <textarea
        ref={field}
        rows={3}
        maxLength={MOST_CHARACTERS}
        aria-label={label}
        value={written.value}
        onInput={(event) => {
          written.value = event.currentTarget.value;
        }}
        onKeyDown={keys}
      />
      <button type="button" disabled={!written.value.trim()} title="ctrl ⏎" onClick={() => save(written.value)}>
        {done}
      </button>
      <button type="button" class="ghost" title="esc" onClick={leave}>
        leave it
      </button>
    </div>
  );
}

/** Tells the kernel; what it refuses is told where the reader acts. */
const told = (store: Store, asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: unknown) => {
    store.commandError.value = errorOf(error);
  });

function Note({ store, note, go }: { store: Store; note: Annotation; go?: boolean }) {
  const editing = useSignal(false);
  const { number, text, step, token, rule } = note;
  const { channel } = store.link;
  const leave = () => {
    editing.value = false;
  };
  const trace = store.link.trace.value;
  const ruleId = trace?.program.rules.find(({ name }) => name === rule)?.id ?? null;
  const isHere = rule === undefined ? (step ?? 0) < (trace?.steps.length ?? 0) : ruleId !== null;
  const find = () => {
    if (step !== undefined) store.goTo(step);
    store.select({ token: token ?? null, rule: ruleId });
  };
  if (editing.value)
    return (
      <Field
        label={`Note ${number}`}
        text={text}
        done="keep"
        leave={leave}
        save={(next) => void told(store, channel.call("edit_annotation", { number, text: next }).then(leave))}
      />
    );
  return (
    <>
      {go && (
        <button type="button" class="link xs" disabled={!isHere} onClick={find}>
          {rule === undefined ? `step ${step}${token === undefined ? "" : `, token ${token}`}` : `rule ${rule}`}
        </button>
      )}
      <p>{text}</p>
      {store.canCommand.value && (
        <span class="xs">
          <button
            type="button"
            class="link"
            aria-label={`Edit note ${number}`}
            onClick={() => {
              editing.value = true;
            }}
          >
            edit
          </button>{" "}
          <button
            type="button"
            class="link"
            aria-label={`Delete note ${number}`}
            onClick={() => void told(store, channel.call("delete_annotation", { number }))}
          >
            delete
          </button>
        </span>
      )}
    </>
  );
}

/** Notes where their subject is; nothing if there are none. `go`: with what each is about, which leads there. */
export function Notes({ store, of, go }: { store: Store; of: readonly Annotation[]; go?: boolean }) {
  if (of.length === 0) return null;
  return (
    <ul class="notes" aria-label="Notes">
      {of.map((note) => (
        <li key={note.number}>
          <Note store={store} note={note} {...(go && { go })} />
        </li>
      ))}
    </ul>
  );
}

/** In the workbench: how many notes there are, and on demand all of them, those of the selection first, with a field for one more. */
export function NotesButton({ store }: { store: Store }) {
  const open = useSignal(false);
  const adding = useSignal(false);
  const chosen = useSignal<string | null>(null);
  const all = store.link.trace.value?.annotations ?? NONE;
  const subjects = subjectsOf(store);
  const here = subjects.flatMap(({ step, token, rule }) =>
    notesAbout(store.link.trace.value, {
      ...(step !== undefined && { step }),
      ...(token !== undefined && { token }),
      ...(rule !== undefined && { rule }),
    }),
  );
  const canWrite = store.canCommand.value;
  if (all.length === 0 && !canWrite) return null;
  const shut = () => {
    open.value = false;
    adding.value = false;
  };
  const about = subjects.find(({ name }) => name === chosen.value) ?? subjects.at(-1);
  const add = (text: string) => {
    if (!about) return;
    const { name: _, words: __, ...subject } = about;
    void told(store, store.link.channel.call("annotate", { text, ...subject }).then(shut));
  };
  return (
    <>
      <button
        type="button"
        class="ghost notes-button"
        data-key="N"
        aria-expanded={open.value}
        title="Notes about the selection, and all others (⇧N)"
        onClick={() => {
          open.value = !open.value;
          adding.value = open.value && canWrite && here.length === 0;
        }}
      >
        {all.length === 0 ? "add a note" : `notes ${here.length} of ${all.length}`}
      </button>
      {open.value && (
        <div
          class="float notes-card"
          role="dialog"
          aria-label="Notes"
          tabIndex={-1}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            shut();
          }}
        >
          <Notes store={store} of={here} go />
          {canWrite && adding.value && (
            <>
              {subjects.length > 1 && about && (
                <Seg
                  label="The note is about"
                  options={subjects.map(({ name, words }) => [name, words] as const)}
                  on={about.name}
                  pick={(name) => {
                    chosen.value = name;
                  }}
                />
              )}
              <Field label={`A note about ${about?.words}`} text="" done="add" save={add} leave={shut} />
            </>
          )}
          {canWrite && !adding.value && (
            <button
              type="button"
              onClick={() => {
                adding.value = true;
              }}
            >
              add a note
            </button>
          )}
          <Notes store={store} of={all.filter((note) => !here.includes(note))} go />
        </div>
      )}
    </>
  );
}
