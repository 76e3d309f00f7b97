// What B is: the engine's switches by what they do, another grammar's text, another session of the notebook; or other engines.
import { type Signal, useSignal } from "@preact/signals";
import { Seg } from "../../parts/small";
import type { CompareReport, CompareWithReply, SwitchFacts } from "../../wire";
import { EngineChoice } from "./engine_choice";

/** What the page asks for: one of the five. */
export interface Asked {
  /** of an instance of a template: the grammar it means, written out and compiled */
  written_out?: boolean;
  switches?: Record<string, string>;
  grammar?: string;
  session?: string;
  /** other engines, by name */
  engines?: string[];
}
export type Mode = "options" | "grammar" | "session" | "written_out" | "engines";
const MODES: readonly (readonly [Mode, string])[] = [
  ["options", "switches"],
  ["grammar", "grammar"],
  ["session", "session"],
  ["engines", "engines"],
];
const OF_TEMPLATE: readonly [Mode, string] = ["written_out", "written out"];
/** in sight at once; the others are one click away */
const N_FIRST = 4;

interface WithProps {
  facts: CompareWithReply;
  mode: Signal<Mode>;
  asked: Signal<Asked>;
  live: boolean;
  begin: (asked: Asked) => void;
  report: CompareReport | null;
  grammar: string;
}

/** B's options: a click on a value begins. What differs from the session's own is marked. */
function Switches({ facts, asked, live, begin }: WithProps) {
  const chosen = asked.value.switches ?? {};
  const set = (facts: SwitchFacts, value: string) => {
    const { [facts.name]: _, ...others } = chosen;
    begin({ switches: value === facts.own ? others : { ...others, [facts.name]: value } });
  };
  const row = (one: SwitchFacts) => {
    const on = chosen[one.name] ?? one.own;
    return (
      <div key={one.name} class={on === one.own ? "switch" : "switch is-changed"} data-switch={one.name}>
        <span class="s">{one.what}</span>
        <fieldset disabled={!live}>
          <Seg label={`B: ${one.what}`} options={one.values} on={on} pick={(value) => set(one, value)} />
        </fieldset>
        <span class="xs faint">
          {on === one.own ? "as in A" : `A: ${one.values.find(([value]) => value === one.own)?.[1] ?? one.own}`}
        </span>
      </div>
    );
  };
  return (
    <>
      <div class="switches">{facts.switches.slice(0, N_FIRST).map(row)}</div>
      <details open={facts.switches.slice(N_FIRST).some((one) => one.name in chosen)}>
        <summary class="xs faint">{facts.switches.length - N_FIRST} more switches of the engine</summary>
        <div class="switches">{facts.switches.slice(N_FIRST).map(row)}</div>
      </details>
    </>
  );
}

/** B's grammar, written over A's. */
function OtherGrammar({ asked, live, begin, grammar }: WithProps) {
  const text = useSignal(asked.peek().grammar ?? grammar);
  return (
    <div class="other-grammar">
      <label class="xs faint" for="xg-compare-grammar">
        B's grammar, EBNF
      </label>
      <textarea
        id="xg-compare-grammar"
        class="mono s"
        spellcheck={false}
        rows={Math.min(12, text.value.split("\n").length + 1)}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => event.key !== "Escape" && event.stopPropagation()}
      />
      <button type="button" disabled={!live || text.value.trim() === ""} onClick={() => begin({ grammar: text.value })}>
        compare
      </button>
    </div>
  );
}

const Sessions = ({ facts, asked, live, begin }: WithProps) => (
  <div class="sessions">
    {facts.sessions.length === 0 ? (
      <p class="dim s">No other session is shown in this notebook. From Python: Compare(session).run(other).</p>
    ) : (
      facts.sessions.map((name) => (
        <button
          key={name}
          type="button"
          disabled={!live}
          aria-pressed={asked.value.session === name}
          onClick={() => begin({ session: name })}
        >
          {name}
        </button>
      ))
    )}
  </div>
);

/** B is what the template means with the arguments: the definition, so the two must agree. */
const WrittenOut = ({ asked, live, begin }: WithProps) => (
  <div class="sessions">
    <button
      type="button"
      disabled={!live}
      aria-pressed={asked.value.written_out === true}
      onClick={() => begin({ written_out: true })}
    >
      compare with the written-out grammar
    </button>
    <span class="xs faint">
      A is linked from its template, B compiled from the written-out grammar: they must agree
    </span>
  </div>
);

export function With(props: WithProps) {
  const { facts, mode } = props;
  const pick = (one: Mode) => {
    mode.value = one;
  };
  return (
    <section class="compare-with" aria-label="What B is">
      <div class="what">
        <span class="s">compare with</span>
        <Seg
          label="What B is"
          options={facts.is_instance ? [...MODES, OF_TEMPLATE] : MODES}
          on={mode.value}
          pick={pick}
        />
      </div>
      {mode.value === "options" && <Switches {...props} />}
      {mode.value === "grammar" && <OtherGrammar {...props} />}
      {mode.value === "session" && <Sessions {...props} />}
      {mode.value === "written_out" && <WrittenOut {...props} />}
      {mode.value === "engines" && <EngineChoice {...props} />}
    </section>
  );
}
