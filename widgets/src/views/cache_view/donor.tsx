// The grammar that a mask entry was taken over from, beside mine: both texts with the state's place marked, both machines.
//
// Reader sees  two sources and the states of two rules, equal but for names. Browser -> Python: which entry. Python -> browser: the
//              donor's text and program, and which of its states equals mine; asked for once, as they may be large.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { errorOf, notRecorded } from "../../answers";
import { Glyph } from "../../parts/glyphs";
import { Empty, Refusal } from "../../parts/small";
import type { Store } from "../../store";
import { edgesFrom, ruleOf, stateName, stateOf, statesOfRule } from "../../trace";
import type { MaskEntry, Program, WireDonor, WireError } from "../../wire";
import { sourceLines } from "../why_card/layout/source";
import { donorTitle } from "./layout";
import type { DonorProps } from "./view";

type Asked = { state: "asking" } | { state: "here"; donor: WireDonor } | { state: "failed"; error: WireError };
const MOST_STATES = 12;

function useDonor(store: Store, step: number, entry: MaskEntry): Signal<Asked> {
  const asked = useSignal<Asked>({ state: "asking" });
  useEffect(() => {
    asked.value = { state: "asking" };
    if (!store.canCommand.peek()) {
      const lines = [`donor = session.donor(${entry.state}, ${step})`, "print(donor, donor.text)"];
      asked.value = { state: "failed", error: notRecorded("The donor's grammar", ...lines) };
      return;
    }
    let isOver = false;
    store.link.channel.call("donor", { step, state: entry.state }).then(
      ({ content }) => {
        if (!isOver) asked.value = { state: "here", donor: content.donor as WireDonor };
      },
      (error: unknown) => {
        if (!isOver) asked.value = { state: "failed", error: errorOf(error) };
      },
    );
    return () => {
      isOver = true;
    };
  }, [asked, store, step, entry]);
  return asked;
}

/** The states of the rule round the one that is meant, and where each leads. */
function Machine({ program, state }: { program: Program; state: number }) {
  const rule = ruleOf(program, stateOf(program, state)?.rule ?? null);
  if (!rule) return null;
  const all = statesOfRule(program, rule);
  const from = Math.max(0, Math.min(state - rule.states[0] - MOST_STATES / 2, all.length - MOST_STATES));
  const shown = all.slice(from, from + MOST_STATES);
  return (
    <table class="table" aria-label={`States of ${rule.name}`}>
      <thead>
        <tr>
          <th scope="col">state</th>
          <th scope="col">leads to</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((s) => (
          <tr key={s.id} class={s.id === state ? "is-selected" : ""}>
            <th scope="row" class="mono">
              {stateName(program, s.id)}
              {s.accepting && " ◎"}
            </th>
            <td class="mono wrap">
              {edgesFrom(program, s.id)
                .map((e) => `${e.label} → ${e.to - rule.states[0]}`)
                .join("  ") || "–"}
            </td>
          </tr>
        ))}
      </tbody>
      {shown.length < all.length && (
        <caption class="xs faint">
          {shown.length} of {all.length} states
        </caption>
      )}
    </table>
  );
}

function Side(props: { title: string; which: string; text: string; program: Program; state: number | null }) {
  const { program, state, text } = props;
  const marks = state === null ? [] : (stateOf(program, state)?.spans ?? []);
  const lines = useMemo(() => sourceLines(text, program, marks), [text, program, marks]);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const [box, line] = [list.current, list.current?.querySelector<HTMLElement>(".is-marked")];
    if (box && line) box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 3;
  }, [lines]);
  return (
    <section aria-label={props.title} data-side={props.which}>
      <p class="sub xs">
        <b>{props.title}</b> {state !== null && <span class="mono faint">{stateName(program, state)}</span>}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key */}
      <ol class="code" ref={list} tabIndex={0} aria-label={`Source of ${props.title}`}>
        {lines.map((line) => (
          <li key={line.number} class={line.marked ? "is-marked" : ""}>
            <span class="n">{line.number}</span>
            <pre class={line.comment ? "c" : ""}>
              {line.runs.map((run) => (
                <span key={run.begin} class={run.marked ? "mark" : run.defined ? "defined" : ""}>
                  {run.text}
                </span>
              ))}
            </pre>
          </li>
        ))}
      </ol>
      {state !== null && <Machine program={program} state={state} />}
    </section>
  );
}

export function DonorBeside({ store, step, entry, close }: DonorProps) {
  const asked = useDonor(store, step.index, entry).value;
  const trace = store.link.trace.value;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const isPerfect = entry.cache === "perfect_hit";
  return (
    <section
      class="donor-beside"
      ref={box}
      tabIndex={-1}
      aria-label="The donor's grammar beside this one"
      data-donor-open={entry.donor}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
    >
      <p class="donor-head">
        <Glyph shape={entry.cache ?? "miss"} />
        <span>
          {isPerfect
            ? "Perfect hit: the rule is equal, and so is everything that may follow it within a token. The entry is the donor's."
            : "Partial hit: the rule is equal, but what may follow it differs. The donor's walk is reused; tokens that reach beyond the rule were checked again."}
        </span>
        <button type="button" onClick={close}>
          close <kbd>esc</kbd>
        </button>
      </p>
      {asked.state === "failed" && <Refusal error={asked.error} />}
      {asked.state === "asking" && <Empty title="Loading">The donor's grammar is requested from the kernel.</Empty>}
      {asked.state === "here" && trace && (
        <div class="donor-sides">
          <Side
            title={`mine: ${trace.header.name}`}
            which="mine"
            text={trace.header.grammar.text}
            program={trace.program}
            state={entry.state}
          />
          <Side
            title={`donor ${donorTitle(asked.donor.id, asked.donor.name)}`}
            which="donor"
            text={asked.donor.grammar.text}
            program={asked.donor.program}
            state={asked.donor.state}
          />
        </div>
      )}
    </section>
  );
}
