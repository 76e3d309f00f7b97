// The grammar's text, small: rule names heavy, the rest recedes, and the marker pen on the selected span is the only colour.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { whenSeen } from "../../parts/seen";
import type { Store } from "../../store";
import type { Program, Span, Trace } from "../../wire";
import { type Line, ruleAtOffset, sourceLines, stateAtOffset } from "./layout/source";

function SourceLine({ line, store, program }: { line: Line; store: Store; program: Program }) {
  const pick = (begin: number) => {
    const state = stateAtOffset(program, begin);
    const rule = state ? state.rule : (ruleAtOffset(program, begin)?.id ?? null);
    store.select({ rule, state: state?.id ?? null, mask_entry: state?.scannable ? state.id : null });
  };
  return (
    <li class={line.marked ? "is-marked" : line.runs.some((run) => run.live) ? "is-live" : ""}>
      <span class="n">{line.number}</span>
      <pre class={line.comment ? "c" : ""}>
        {line.runs.map((run) =>
          run.rule ? (
            <button
              key={run.begin}
              type="button"
              class="rule-name"
              onClick={() => store.select({ rule: run.rule?.id ?? null, state: null, mask_entry: null })}
            >
              {run.text}
            </button>
          ) : (
            // biome-ignore lint/a11y/noStaticElementInteractions: rule names are buttons; a place in the text is for the pointer
            // biome-ignore lint/a11y/useKeyWithClickEvents: the FSM view reaches every state by keyboard
            <span
              key={run.begin}
              class={run.marked ? "mark" : run.live ? "live" : run.defined ? "defined" : ""}
              onClick={() => pick(run.begin)}
            >
              {run.text}
            </span>
          ),
        )}
      </pre>
    </li>
  );
}

export function SourcePanel({
  store,
  trace,
  marks,
  live,
}: {
  store: Store;
  trace: Trace;
  marks: readonly Span[];
  live: readonly Span[];
}) {
  const box = useRef<HTMLOListElement>(null);
  const key = JSON.stringify([marks, live]);
  const lines = useMemo(
    () => sourceLines(trace.header.grammar.text, trace.program, marks, live),
    [trace.header, trace.program, key],
  );
  useLayoutEffect(() => {
    const list = box.current;
    if (!list) return;
    // after all views have drawn: reading positions earlier would lay the page out twice
    return whenSeen(list, () => {
      const line = list.querySelector<HTMLElement>(".is-marked, .is-live");
      if (!line) return;
      const top = line.offsetTop - list.offsetTop;
      const hidden = top < list.scrollTop || top + line.offsetHeight > list.scrollTop + list.clientHeight;
      if (hidden) list.scrollTop = top - list.clientHeight / 3;
    });
  }, [key]);
  const items = useMemo(
    () => lines.map((line) => <SourceLine key={line.number} line={line} store={store} program={trace.program} />),
    [lines, store, trace.program],
  );
  return (
    <ol class="code" ref={box} aria-label="Grammar">
      {items}
    </ol>
  );
}
