// What can stand beside: the same run with another seed, temperature or grammar, or another session of the notebook.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Seg } from "../../parts/small";
import type { Store } from "../../store";
import type { LockstepAddRequest, LockstepWithReply, SessionRequests } from "../../wire";

/** Asks the kernel to change the sides; a refusal is shown in the view. */
export type Send = <K extends "lockstep" | "lockstep_add" | "lockstep_drop">(
  kind: K,
  what: SessionRequests[K][0],
) => void;
type Kind = "seed" | "temperature" | "grammar" | "session";
const KINDS: readonly (readonly [Kind, string])[] = [
  ["seed", "another seed"],
  ["temperature", "temperature"],
  ["grammar", "grammar"],
  ["session", "session"],
];

interface BesideProps {
  store: Store;
  send: Send;
  /** the sides there are: with another number, other sessions can be added */
  n: number | undefined;
}
export function Beside({ store, send, n }: BesideProps) {
  const kind = useSignal<Kind>("seed");
  const number = useSignal("1");
  const own = store.link.trace.value?.header.grammar.text ?? "";
  const grammar = useSignal<string | null>(null);
  const facts = useSignal<LockstepWithReply | null>(null);
  useEffect(() => {
    store.link.channel.call("lockstep_with").then(
      ({ content }) => {
        facts.value = content;
      },
      () => undefined,
    );
  }, [n, kind.value, store, facts]);
  const add = (what: LockstepAddRequest) => send("lockstep_add", what);
  const value = Number(number.value);
  const isNumber = kind.value === "seed" || kind.value === "temperature";
  const written = grammar.value ?? own;
  return (
    <fieldset class="lockstep-beside" data-act>
      <Seg
        label="What stands beside"
        options={KINDS}
        on={kind.value}
        pick={(one) => {
          kind.value = one;
        }}
      />
      {isNumber && (
        <input
          type="number"
          min="0"
          step={kind.value === "seed" ? 1 : 0.1}
          aria-label={kind.value === "seed" ? "The seed" : "The temperature"}
          value={number.value}
          onInput={(event) => {
            number.value = event.currentTarget.value;
          }}
        />
      )}
      {kind.value === "grammar" && (
        <textarea
          class="mono s"
          spellcheck={false}
          aria-label="The other grammar, EBNF"
          rows={Math.min(12, written.split("\n").length + 1)}
          value={written}
          onInput={(event) => {
            grammar.value = event.currentTarget.value;
          }}
        />
      )}
      {kind.value === "session" &&
        (facts.value?.sessions.map((name) => (
          <button key={name} type="button" onClick={() => add({ session: name })}>
            {name}
          </button>
        )) ??
          null)}
      {kind.value === "session" && facts.value?.sessions.length === 0 && (
        <span class="s dim">No other session of this vocabulary is shown in this notebook.</span>
      )}
      {kind.value !== "session" && (
        <button
          type="button"
          disabled={isNumber && (number.value === "" || !(value >= 0))}
          onClick={() => add(isNumber ? { [kind.value]: value } : { grammar: written })}
        >
          add a run
        </button>
      )}
      {facts.value?.has_model === false && (
        <span class="s dim">Without a model its tokens are forced, not sampled.</span>
      )}
    </fieldset>
  );
}
