// WhyCard: why a token may or may not come next, from the byte it died at to the line of the grammar.
//
// Reader sees  a sentence, the byte walk, what was expected, by which items and source lines, by what mechanism, and the grammar with
//              that span marked. Python -> browser: explanations. Browser -> Python: which token, text or bytes to explain.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Answer, Subject } from "../../answers";
import { CLASS_NAMES } from "../../parts/glyphs";
import { Notes, notesAbout } from "../../parts/notes";
import { ofSession } from "../../parts/of_session";
import { Empty, Panel, Refusal, Toggle, useWidth } from "../../parts/small";
import type { Store } from "../../store";
import { plural } from "../../text";
import { ruleInFocus, ruleOf, stateOf } from "../../trace";
import type { PanelProps } from "../../view";
import type { Explanation, Span, Step, Trace, WireDiagnosis } from "../../wire";
import { useDrawn } from "../chart_view/grammar";
import { drawnOf, type Mode, modeOf, stepIn, whyIn } from "../chart_view/written";
import { ByteWalk } from "./byte_walk";
import { CopyIssue } from "./issue";
import { codeOf, Facts, Subjects, Wanted } from "./parts";
import { PastedIds } from "./pasted";
import { SourcePanel } from "./source_panel";

export interface PastedProps extends PanelProps {
  diagnosis: WireDiagnosis | null;
  /** the field is open */
  open: boolean;
  close: () => void;
}

/** What was found out about pasted ids, as long as their trace is shown. */
function useDiagnosis({ link }: Store): WireDiagnosis | null {
  const { model } = link.handle;
  const found = useSignal(model.get("diagnosis"));
  useEffect(() => {
    const follow = () => {
      found.value = model.get("diagnosis");
    };
    follow();
    model.on("change:diagnosis", follow);
    return () => model.off("change:diagnosis", follow);
  }, [model, found]);
  return found.value ?? null;
}

/** Field text to what it means: `#12` or a number is a token id, `/22 7D/` bytes, the rest text with `\n` and `\t`. */
export function subjectOf(field: string, vocabSize: number): Subject | null {
  if (field === "") return null;
  const id = /^#?(\d+)$/.exec(field)?.[1];
  if (id !== undefined && Number(id) < vocabSize) return { token: Number(id) };
  const hexed = /^\/((?:[0-9a-fA-F]{2}\s*)+)\/$/.exec(field)?.[1];
  if (hexed) return { bytes: hexed.replace(/\s/g, "") };
  return { text: field.replace(/\\n/g, "\n").replace(/\\t/g, "\t").replace(/↵/g, "\n").replace(/·/g, " ") };
}

interface CardProps {
  store: Store;
  trace: Trace;
  mode: Mode;
  step: Step;
  why: Explanation;
  /** another was asked for and is not here yet: this one can be read, and forces nothing */
  stale: boolean;
}
function Card({ store, trace, mode, step, why, stale }: CardProps) {
  // as the mask has it, where the mask is here; else by the mechanism, which the engine decides alike
  const inMask = store.link.bulk.value.get(step.index)?.provenance[why.token_id ?? -1];
  const code = inMask ?? step.top.find(([id]) => id === why.token_id)?.[4] ?? codeOf(why.mechanism);
  const force = why.allowed && why.token_id !== null && why.token_id !== step.token_id && store.canCommand.value;
  const drawn = drawnOf(trace, mode);
  const own = whyIn(drawn, why);
  const [shown, items] = own ? [drawn, own] : [trace, why];
  return (
    <>
      <Subjects step={step} why={why} code={code} />
      <p class="dim say" title={CLASS_NAMES[code]} data-reason>
        {why.reason}
        {force && (
          <button
            type="button"
            class="inline-action"
            disabled={stale}
            onClick={() => store.force(why.token_id as number)}
          >
            {store.forcing} it <kbd>⏎</kbd>
          </button>
        )}
      </p>
      <ByteWalk store={store} trace={shown} step={stepIn(shown, step)} explanation={items} />
      <Facts store={store} why={items} trace={shown} />
      {why.token_id !== null && (
        <Notes store={store} of={notesAbout(trace, { step: step.index, token: why.token_id })} />
      )}
      <CopyIssue key={`${step.index}:${why.token_id}:${why.bytes}`} store={store} step={step} why={why} />
    </>
  );
}

/** "Asking the kernel" is said only when it takes longer than a glance; until then the last card stays. */
function Asking() {
  const late = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      late.value = true;
    }, 100);
    return () => clearTimeout(timer);
  }, [late]);
  return late.value ? <p class="asking faint">asking the kernel …</p> : null;
}

function marksOf(store: Store, trace: Trace, why: Explanation | null): Span[] {
  const state = stateOf(trace.program, store.selection.value.state);
  if (state) return state.spans;
  const item = why?.expected_by[0];
  if (item) return item.spans;
  const rule = ruleOf(trace.program, store.selection.value.rule);
  return rule ? [[rule.span[0], rule.span[0] + new TextEncoder().encode(rule.name).length]] : [];
}

/** Where in the text the parse stands. */
const liveSpans = (trace: Trace, step: Step | null): Span[] =>
  (step?.live ?? []).flatMap((item) => stateOf(trace.program, item.state)?.spans ?? []);

/** The text in the field of a session's cards. It is kept while the pane shows another view. */
const fieldOf = ofSession("");

export function WhyCard({ store }: PanelProps) {
  const last = useRef<{ why: Explanation; step: Step } | null>(null);
  const field = fieldOf(store);
  const pasting = useSignal(false);
  const mode = modeOf(store);
  const diagnosis = useDiagnosis(store);
  const [box, width] = useWidth();
  const trace = store.link.trace.value;
  const step = store.step.value;
  const subject = store.subject.value;
  useDrawn(store, mode.value, width > 0 && subject !== null);
  const answer: Answer | null = step && subject ? store.explanation(step, subject).value : null;
  if (answer?.state === "ready" && step) last.current = { why: answer.value, step };
  if (!subject) last.current = null;
  const shown = answer?.state === "failed" ? null : last.current;
  const stale = answer?.state === "asking";
  useSignalEffect(() => {
    // the typed text belongs to the card only as long as no token is selected elsewhere
    if (store.typed.value === null && field.peek() !== "" && store.selection.value.token !== null) field.value = "";
  });
  const ask = () => {
    store.typed.value = subjectOf(field.value, trace?.header.vocab_size ?? 0);
  };
  const readout =
    shown &&
    step &&
    (shown.why.allowed
      ? `why may this come next at step ${step.index}`
      : `why is this not allowed at step ${step.index}`);
  const form = (
    <form
      class="why-ask"
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <label class="field">
        <input
          type="text"
          placeholder="id, text or /bytes/"
          aria-label="Token id, text or /bytes/ to explain"
          data-key="w"
          value={field.value}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            field.value = event.currentTarget.value;
            if (field.value === "") ask();
          }}
        />
        <kbd>{field.value ? "⏎" : "w"}</kbd>
      </label>
    </form>
  );
  return (
    <Panel
      readout={readout}
      tools={
        <>
          {form}
          <Toggle on={pasting} letter="i" title="Paste the token ids of a failed request, or the log line with them">
            paste ids
          </Toggle>
        </>
      }
    >
      <div class={width > 860 ? "why-grid wide" : "why-grid"} ref={box}>
        <div class="body">
          {(pasting.value || diagnosis) && (
            <PastedIds
              store={store}
              diagnosis={diagnosis}
              open={pasting.value}
              close={() => {
                pasting.value = false;
              }}
            />
          )}
          {answer?.state === "asking" && <Asking key={JSON.stringify(subject)} />}
          {answer?.state === "failed" && <Refusal error={answer.error} />}
          {shown && trace ? (
            <div class={stale ? "stale" : ""}>
              <Card store={store} trace={trace} mode={mode.value} step={shown.step} why={shown.why} stale={stale} />
            </div>
          ) : (
            answer?.state !== "asking" &&
            answer?.state !== "failed" && (
              <Empty title="Pick a token" actions={step && <Wanted store={store} step={step} />}>
                Click a cell of the mask, a candidate, or type text here: it need not be one token.
              </Empty>
            )
          )}
        </div>
        {trace && (
          <div class="source">
            <p class="sub xs faint">
              <span>grammar</span>
              <span>
                {ruleOf(trace.program, ruleInFocus(trace, store.selection.value))?.name},{" "}
                {plural(trace.program.rules.length, "rule")}, {trace.program.states.length} states
              </span>
            </p>
            <SourcePanel
              store={store}
              trace={trace}
              marks={marksOf(store, trace, shown?.why ?? null)}
              live={liveSpans(trace, step)}
            />
          </div>
        )}
      </div>
    </Panel>
  );
}
