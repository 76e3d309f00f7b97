// GrammarPad: a grammar in an editor that compiles it while it is typed.
//
// Reader sees  the source with every finding in place, what became of it beside it: lowered, as a railroad, keyword by keyword.
//              Python -> browser: text, findings, last good grammar. Browser -> Python: the text, when the reader rests.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { Empty, millis, Notice, Panel, plural, Refusal, useWidth } from "../kit";
import type { Finding, PadKind, PadState } from "../wire";
import { ArgumentsEditor } from "./arguments_editor";
import { findingsNow } from "./cm_findings";
import type { CodeEditor } from "./code_editor";
import type { EditorProps } from "./entry";
import { countText, FindingsList } from "./findings_list";
import { editorIn, isOfSchema, sideViews } from "./grammar_views";
import { offsetsOf } from "./offsets";
import { PadStore } from "./pad_store";
import { SAMPLES } from "./samples";
import { Lowered, type SideProps, SideTabs } from "./side_views";
import { SourceEditor, useSeen } from "./source_editor";

const KINDS: readonly [PadKind, string][] = [
  ["ebnf", "EBNF"],
  ["json_schema", "Schema"],
  ["regex", "Regex"],
  ["structural_tag", "Tag"],
  ["lark", "Lark"],
];
const GUTTER = {
  time: "blue in the gutter: mask time of the rule",
  misses: "red in the gutter: masks of the rule that had no entry ready",
  coverage: "teal in the gutter: how much of the rule the run has reached",
} as const;
const WIDE = 1200;
const TWO = 720;
const LONG_MS = 300;

/** Seconds since a compilation began, once it is a long one. */
function useWaiting(state: PadState | null): number | null {
  const since = useSignal<number | null>(null);
  const isCompiling = state?.status === "compiling";
  useEffect(() => {
    since.value = null;
    if (!isCompiling) return;
    const begun = performance.now();
    const tick = setInterval(() => {
      const ms = performance.now() - begun;
      if (ms > LONG_MS) since.value = ms / 1000;
    }, 100);
    return () => clearInterval(tick);
  }, [isCompiling, state?.revision]);
  return since.value;
}

/** A mistake of an argument is in both texts, and counts once. */
export const allFindings = ({ findings, arguments: args }: PadState): Finding[] => [
  ...findings.filter((finding) => !finding.of_arguments),
  ...(args?.findings ?? []),
];

function Readout({ pad, waiting }: { pad: PadStore; waiting: number | null }) {
  const state = pad.state.value;
  if (!state) return null;
  const kept = pad.good.value ? "; the last good grammar stays" : "";
  if (waiting !== null) return <>compiling, {waiting.toFixed(1)} s: the other views show the text before</>;
  if (state.status === "cancelled") return <>not compiled{kept}</>;
  const findings = allFindings(state);
  const errors = findings.some((finding) => finding.severity === "error");
  if (errors)
    return (
      <span class="bad">
        {countText(findings)}
        {kept}
      </span>
    );
  return <>{countText(findings)}</>;
}

function Tools({ pad, waiting }: { pad: PadStore; waiting: number | null }) {
  const state = pad.state.value;
  const shows = state?.keywords.some((k) => k.state === "refused" || k.state === "relaxed");
  return (
    <>
      {waiting !== null && (
        <button type="button" onClick={() => pad.cancel()}>
          Cancel
        </button>
      )}
      {state?.status === "cancelled" && (
        <button type="button" onClick={() => pad.read({})}>
          Compile
        </button>
      )}
      {state && shows && (
        <button
          type="button"
          aria-pressed={state.on_unsupported === "relax"}
          title="Drop constraints that no grammar can enforce"
          onClick={() => pad.read({ on_unsupported: state.on_unsupported === "relax" ? "error" : "relax" })}
        >
          {state.on_unsupported === "relax" ? "refuse" : "relax"}
        </button>
      )}
      {state?.has_session && (
        <button
          type="button"
          class={pad.isGoodCurrent.value && !state.is_applied ? "primary" : ""}
          disabled={!pad.isGoodCurrent.value || state.is_applied}
          title="Begin the session again under this grammar (ctrl ⏎); its record stays in past_traces"
          onClick={() => pad.apply()}
        >
          {state.is_applied ? "applied" : "apply"}
        </button>
      )}
      <select
        class="field"
        aria-label="Kind of grammar"
        value={state?.kind}
        onChange={(event) => pad.read({ text_kind: event.currentTarget.value as PadKind })}
      >
        {KINDS.map(([kind, words]) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
      </select>
    </>
  );
}

function Notices({ pad }: { pad: PadStore }) {
  const error = pad.refusal.value ?? pad.state.value?.error;
  const line = pad.line.value;
  return (
    <>
      {line === "offline" && <Notice level="hint">Without a kernel, the text is not compiled.</Notice>}
      {line === "closed" && <Notice level="hint">This pad was closed. Its text is no longer compiled.</Notice>}
      {error && <Refusal error={error} />}
    </>
  );
}

function Beginnings({ pad, editor }: { pad: PadStore; editor: { current: CodeEditor | null } }) {
  const begin = (kind: PadKind, text: string) => {
    pad.text.value = text;
    pad.read({ text_kind: kind });
    editor.current?.view.focus();
  };
  return (
    <div class="beginnings">
      <Empty
        title="Type a grammar, or start from one"
        actions={SAMPLES.map(({ title, kind, text }) => (
          <button key={title} type="button" onClick={() => begin(kind, text)}>
            {title}
          </button>
        ))}
      >
        It compiles while you type. The smallest useful one is <code>root ::= "yes" | "no"</code>
      </Empty>
    </div>
  );
}

export function GrammarPad({ handle, store, shadow, nested }: EditorProps) {
  const pad = PadStore.of(handle);
  const [box, width] = useWidth();
  const editor = editorIn(shadow);
  const hovered = useSignal<string | null>(null);
  const seen = useSeen(pad, store);
  const state = pad.state.value;
  const good = pad.good.value;
  const waiting = useWaiting(state);
  const selected = store?.selection.value.rule ?? null;
  useLayoutEffect(() => {
    const rule = selected === null ? null : store?.link.trace.peek()?.program.rules[selected];
    if (rule) pad.rule.value = rule.name;
  }, [selected, store, pad]);

  // in a pane, what was selected elsewhere is brought into sight: within the editor, never by moving the page
  const marked = JSON.stringify(seen.marked);
  useEffect(() => {
    const [first] = seen.marked;
    const view = editor.current?.view;
    if (!nested || !first || !view) return;
    const at = offsetsOf(pad.text.peek()).unit(first[0]);
    view.requestMeasure({
      read: () => view.lineBlockAt(at),
      write: ({ top, bottom }) => {
        const { scrollTop, clientHeight } = view.scrollDOM;
        if (top < scrollTop || bottom > scrollTop + clientHeight) view.scrollDOM.scrollTop = top - clientHeight / 3;
      },
    });
  }, [marked, nested, editor, pad]);
  const isEmpty = pad.text.value.trim() === "";
  // in the workbench, what stands beside the source is a pane of its own
  const hasSide = !isEmpty && !nested;
  const layout = !hasSide || width < TWO ? "one" : width < WIDE ? "two" : "wide";
  const side: SideProps = { pad, good, seen, editor };
  const behind = pad.isGoodCurrent.value || !good ? "" : "is-stale";
  const isSchema = isOfSchema(state);
  const views = sideViews(side, { isSchema, hasLowered: layout !== "wide" || isSchema });
  const mend = (k: number) => {
    const found = editor.current && findingsNow(editor.current.view)[k];
    if (found) editor.current?.mend(found);
  };
  return (
    <Panel readout={<Readout pad={pad} waiting={waiting} />} tools={<Tools pad={pad} waiting={waiting} />}>
      <Notices pad={pad} />
      <div class={`pad pad-${layout}`} ref={box} data-fresh={pad.isFresh.value} data-revision={state?.revision}>
        <div class="pad-source">
          <SourceEditor pad={pad} shadow={shadow} seen={seen} editor={editor} hovered={hovered} />
          {isEmpty && <Beginnings pad={pad} editor={editor} />}
          {state && !isEmpty && (
            <FindingsList
              findings={state.findings}
              fresh={pad.isFresh.value}
              show={(k) => editor.current?.showNumber(k)}
              mend={mend}
            />
          )}
          {state?.arguments && !isEmpty && <ArgumentsEditor pad={pad} store={store} shadow={shadow} />}
        </div>
        {layout === "wide" && !isSchema && (
          <div class={`pad-side ${behind}`}>
            <p class="pad-sub first">
              <span>lowered</span>
              <span class="faint">
                {behind ? "of the last good text" : `${good?.passes.length ?? 0} passes change it`}
              </span>
            </p>
            <Lowered {...side} />
          </div>
        )}
        {hasSide && (
          <div class={`pad-side ${behind}`}>
            <SideTabs views={views} first={isSchema ? "Keywords" : "Railroad"} />
          </div>
        )}
      </div>
      <div class="foot" hidden={isEmpty && !good}>
        {layout !== "one" && (
          <span data-act>
            <kbd>F8</kbd> next finding <kbd>F12</kbd> definition <kbd>F2</kbd> rename <kbd>esc</kbd> <kbd>tab</kbd>{" "}
            leaves the editor
          </span>
        )}
        <span class="figures">
          {good && (
            <>
              {behind && "last good: "}
              compiled in {millis(good.ms)} ms, {plural(good.rules.length, "rule")}, {plural(good.n_states, "state")}
            </>
          )}
        </span>
        {seen.heat.length > 0 && <span>{GUTTER[pad.measure.value]}</span>}
      </div>
    </Panel>
  );
}
