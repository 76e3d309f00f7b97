// WhyCard: why a token may or may not come next, from the byte it died at to the line of the grammar.
//
// Reader sees  a sentence, the byte walk, what was expected, by which items and source lines, by what mechanism, and the grammar with
//              that span marked. Python -> browser: explanations. Browser -> Python: which token, text or bytes to explain.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isAllowed } from "../bulk";
import type { PanelProps } from "../panels";
import { CLASS_NAMES, CLASS_SHAPES, Glyph } from "../parts/glyphs";
import { Empty, Notice, Panel, Token, useWidth } from "../parts/small";
import type { Answer, Store, Subject } from "../store";
import { bytes as byteCount, int, micros, prob } from "../text";
import { ruleInFocus, ruleOf, stateName, stateOf } from "../trace";
import type { Explanation, Program, Span, Step, Trace } from "../wire";
import { ByteWalk } from "./byte_walk";
import { SourcePanel } from "./source_panel";

const CODE_OF: Record<string, number> = {
  rejected_by_cache: 0,
  accepted_by_cache: 1,
  accepted_by_parent_check: 2,
  rejected_by_parent_check: 3,
  rejected_by_lookahead: 3,
  special_token: 4,
  stop_legal: 5,
  stop_not_legal: 6,
  padding: 7,
  empty_token: 7,
  terminated: 0,
};

/** Field text to what it means: `#12` or a number is a token id, `/22 7D/` bytes, the rest text with `\n` and `\t`. */
export function subjectOf(field: string, vocabSize: number): Subject | null {
  if (field === "") return null;
  const id = /^#?(\d+)$/.exec(field)?.[1];
  if (id !== undefined && Number(id) < vocabSize) return { token: Number(id) };
  const hexed = /^\/((?:[0-9a-fA-F]{2}\s*)+)\/$/.exec(field)?.[1];
  if (hexed) return { bytes: hexed.replace(/\s/g, "") };
  return { text: field.replace(/\\n/g, "\n").replace(/\\t/g, "\t").replace(/↵/g, "\n").replace(/·/g, " ") };
}

function mechanismText(why: Explanation, program: Program): string {
  const at = why.entry ? ` in ${stateName(program, why.entry.state)}` : "";
  const words: Record<string, string> = {
    accepted_by_cache: `cached accept${at}`,
    rejected_by_cache: `cached reject${at}`,
    accepted_by_parent_check: `uncertain${at}, accepted by the check of the parents`,
    rejected_by_parent_check: `uncertain${at}, rejected by the check of the parents`,
    rejected_by_lookahead: `rejected by the lookahead${at}`,
    special_token: "special token, never matched as text",
    stop_legal: "stop token, legal now",
    stop_not_legal: "stop token, not legal yet",
    padding: "outside the tokenizer's tokens, masked at every step",
    empty_token: "a token without bytes is never allowed",
    terminated: "the output has ended, nothing may follow",
  };
  return words[why.mechanism] ?? why.mechanism.replaceAll("_", " ");
}

function Facts({ store, why, program }: { store: Store; why: Explanation; program: Program }) {
  const nExpected = why.expected.reduce((n, [lo, hi]) => n + hi - lo + 1, 0);
  return (
    <dl class="facts-list">
      {why.expected_text && (
        <>
          <dt>expected</dt>
          <dd>
            <span class="mono key">{why.expected_text}</span> <span class="faint">{nExpected} of 256 bytes</span>
          </dd>
        </>
      )}
      {why.expected_by.slice(0, 3).map((item, k) => (
        <div key={`${item.state}:${item.origin}`}>
          <dt>{k === 0 ? "by item" : ""}</dt>
          <dd>
            <button
              type="button"
              class="link item"
              title="Select this state"
              onClick={() => store.select({ rule: item.rule, state: item.state, mask_entry: item.state })}
            >
              <span class="mono">
                {item.rule_name} → {item.before} <b class="dot">•</b> {item.after}
              </span>
            </button>{" "}
            <span class="faint">from byte {item.origin}</span>
            <br />
            <button
              type="button"
              class="link"
              data-source={item.line}
              onClick={() => store.select({ rule: item.rule, state: item.state, mask_entry: item.state })}
            >
              {item.line}:{item.column}
            </button>{" "}
            <SourceExcerpt text={item.line_text} column={item.column} spans={item.spans} />
          </dd>
        </div>
      ))}
      {why.expected_by.length > 3 && (
        <>
          <dt />
          <dd class="faint">and {why.expected_by.length - 3} items more</dd>
        </>
      )}
      <dt>mechanism</dt>
      <dd data-mechanism={why.mechanism}>{mechanismText(why, program)}</dd>
      {why.entry && (
        <>
          <dt>mask entry</dt>
          <dd>
            <span class="mono">{stateName(program, why.entry.state)}</span> {why.entry.storage.replace("_", " ")},{" "}
            {int(why.entry.n_accepted)} accepted, {int(why.entry.n_rejected)} rejected, {int(why.entry.n_uncertain)}{" "}
            uncertain; {byteCount(why.entry.size_bytes)}, built in {micros(why.entry.build_us)}, {int(why.entry.hits)}{" "}
            hits
          </dd>
        </>
      )}
    </dl>
  );
}

/** The line with the marker on what was expected. Columns count code points from 1. */
function SourceExcerpt({ text, column, spans }: { text: string; column: number; spans: Span[] }) {
  const glyphs = [...text];
  const width = Math.max(1, (spans[0]?.[1] ?? 0) - (spans[0]?.[0] ?? 0));
  const [a, b] = [column - 1, Math.min(glyphs.length, column - 1 + width)];
  const clip = Math.max(0, a - 28);
  return (
    <code class="excerpt">
      {clip > 0 && "…"}
      {glyphs.slice(clip, a).join("").trimStart()}
      <span class="pen">{glyphs.slice(a, b).join("")}</span>
      {glyphs.slice(b, b + 28).join("")}
      {b + 28 < glyphs.length && "…"}
    </code>
  );
}

function Subjects({ step, why, code }: { step: Step; why: Explanation; code: number }) {
  const row = step.top.findIndex(([id]) => id === why.token_id);
  const [, , p, q] = step.top[row] ?? [0, "", null, null, null];
  const facts = [
    why.token_id !== null ? `id ${why.token_id}` : `${why.bytes.length / 2} bytes typed`,
    ...(p !== null ? [`p ${prob(p)}${row < 10 ? `, rank ${row + 1}` : ""}`] : []),
    ...(q ? [`q ${prob(q)}`] : []),
    ...(why.token_id !== null && why.token_id === step.token_id ? ["chosen"] : []),
  ];
  return (
    <p class="subject" data-token={why.token_id ?? ""} data-allowed={String(why.allowed)}>
      <Glyph shape={CLASS_SHAPES[code] ?? "rejected"} size={14} />
      <Token text={why.text} />
      {facts.map((fact) => (
        <span key={fact} class="faint s">
          {fact}
        </span>
      ))}
    </p>
  );
}

function Card({ store, trace, step, why }: { store: Store; trace: Trace; step: Step; why: Explanation }) {
  const code = step.top.find(([id]) => id === why.token_id)?.[4] ?? CODE_OF[why.mechanism] ?? 0;
  const force = why.allowed && why.token_id !== null && step.kind === null && store.canCommand.value;
  return (
    <>
      <Subjects step={step} why={why} code={code} />
      <p class="dim say" title={CLASS_NAMES[code]} data-reason>
        {why.reason}
        {force && (
          <button type="button" class="inline-action" onClick={() => store.force(why.token_id as number)}>
            force it <kbd>⏎</kbd>
          </button>
        )}
      </p>
      <ByteWalk store={store} program={trace.program} step={step} explanation={why} />
      <Facts store={store} why={why} program={trace.program} />
    </>
  );
}

/** What the model wanted most and may not have: the question asked most often. */
function Wanted({ store, step }: { store: Store; step: Step }) {
  const blocked = step.top
    .filter(([, , p, , code]) => code !== null && !isAllowed(code) && (p ?? 0) >= 0.001)
    .slice(0, 3);
  if (blocked.length === 0) return null;
  return (
    <>
      <span class="xs faint">wanted, blocked</span>
      {blocked.map(([id, text, p]) => (
        <button key={id} type="button" onClick={() => store.select({ token: id })}>
          <Token text={text} /> <span class="faint">{prob(p ?? 0)}</span>
        </button>
      ))}
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
  if (why && why.expected_by.length > 0) return why.expected_by[0]?.spans ?? [];
  const rule = ruleOf(trace.program, store.selection.value.rule);
  return rule ? [[rule.span[0], rule.span[0] + new TextEncoder().encode(rule.name).length]] : [];
}

export function WhyCard({ store }: PanelProps) {
  const last = useRef<{ why: Explanation; step: Step } | null>(null);
  const field = useSignal("");
  const [box, width] = useWidth();
  const trace = store.link.trace.value;
  const step = store.step.value;
  const subject = store.subject.value;
  const answer: Answer | null = step && subject ? store.explanation(step, subject).value : null;
  if (answer?.state === "ready" && step) last.current = { why: answer.value, step };
  if (!subject) last.current = null;
  const shown = answer?.state === "failed" ? null : last.current;
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
  return (
    <Panel name="why-card" title="Why" readout={readout}>
      <div class={width > 860 ? "why-grid wide" : "why-grid"} ref={box}>
        <div class="body">
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
                placeholder="why? token id, text or /bytes/"
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
          {answer?.state === "asking" && <Asking key={JSON.stringify(subject)} />}
          {answer?.state === "failed" && (
            <Notice
              level="error"
              more={
                answer.error.hint ||
                (store.link.line.value === "offline"
                  ? "This explanation was not recorded; choose a kernel and run the cell."
                  : "")
              }
            >
              <b>{answer.error.type}</b> {answer.error.message}
            </Notice>
          )}
          {shown && trace ? (
            <div class={answer?.state === "asking" ? "stale" : ""}>
              <Card store={store} trace={trace} step={shown.step} why={shown.why} />
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
                {ruleOf(trace.program, ruleInFocus(trace, store.selection.value))?.name}, {trace.program.rules.length}{" "}
                rules, {trace.program.states.length} states
              </span>
            </p>
            <SourcePanel store={store} trace={trace} marks={marksOf(store, trace, shown?.why ?? null)} />
          </div>
        )}
      </div>
    </Panel>
  );
}
