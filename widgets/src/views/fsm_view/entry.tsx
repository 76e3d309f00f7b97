// What is known of the mask at a state: how it is stored, how large it is, what it cost, how often it was used.
import { Glyph } from "../../parts/glyphs";
import type { Store } from "../../store";
import { bytes, int, micros } from "../../text";
import { ruleInFocus, ruleOf, stateName } from "../../trace";
import type { MaskEntry, Step, Trace } from "../../wire";

/** The newest facts known of a state's mask entry: of this step, else of an earlier one that stood there. */
export function entryOf(trace: Trace, step: Step, state: number): { entry: MaskEntry; step: number } | null {
  for (let k = step.index; k >= 0; k--) {
    const entry = trace.steps[k]?.entries.find((e) => e.state === state);
    if (entry) return { entry, step: k };
  }
  return null;
}

/** Of the engine's state, which has the mask: the selected one, or the innermost live one of the rule. */
export function EntryFacts({ store, wide }: { store: Store; wide: boolean }) {
  const trace = store.link.trace.value;
  const step = store.step.value;
  const rule = trace && ruleOf(trace.program, ruleInFocus(trace, store.selection.value));
  if (!trace || !step || !rule) return null;
  const selected = store.selection.value.state;
  const here = step.live.findLast((item) => item.rule === rule.id)?.state ?? null;
  const id = selected !== null && trace.program.states[selected]?.rule === rule.id ? selected : here;
  const state = id === null ? null : (trace.program.states[id] ?? null);
  const known = id === null ? null : entryOf(trace, step, id);
  const e = known?.entry;
  const facts: [string, string][] = e
    ? [
        ["storage", e.storage.replace("_", " ")],
        ["accepted", int(e.n_accepted)],
        ["rejected", int(e.n_rejected)],
        ["uncertain", int(e.n_uncertain)],
        ["size", bytes(e.size_bytes)],
        ["built in", micros(e.build_us)],
        ...(e.cache && e.cache !== "miss"
          ? ([
              ["shared", `${e.cache === "perfect_hit" ? "by" : "in part by"} ${e.donor_name || `grammar ${e.donor}`}`],
            ] as [string, string][])
          : []),
        ["hits", int(e.hits)],
        ...(known && known.step !== step.index ? ([["seen at", `step ${known.step}`]] as [string, string][]) : []),
      ]
    : [];
  return (
    <aside class={wide ? "entry" : "entry flat"} aria-label="Mask entry">
      <h3>
        {e && <Glyph shape={e.hits > 0 ? "perfect_hit" : (e.cache ?? "miss")} />}
        mask entry{" "}
        {id !== null && <span class={`mono ${selected === id ? "pen" : ""}`}>{stateName(trace.program, id)}</span>}
      </h3>
      {state && (
        <p class="mono xs dim item-text">
          {state.before} <b class="dot">•</b> {state.after}
        </p>
      )}
      {facts.length > 0 ? (
        <dl>
          {facts.map(([k, x]) => (
            <div key={k}>
              <dt>{k}</dt>
              <dd>{x}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p class="faint">
          {!state
            ? "Select a state."
            : state.scannable
              ? "Not visited yet: a mask is made on the first visit."
              : "No byte leaves this state, so it needs no mask."}
        </p>
      )}
    </aside>
  );
}
