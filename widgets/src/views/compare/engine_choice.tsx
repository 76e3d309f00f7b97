// Which engines are compared with the session: those that are installed can be chosen, the others say how to install them.
import type { Signal } from "@preact/signals";
import { plural } from "../../text";
import type { CompareWithReply } from "../../wire";
import type { Asked } from "./with";

interface ChoiceProps {
  facts: CompareWithReply;
  asked: Signal<Asked>;
  live: boolean;
  begin: (asked: Asked) => void;
}
export function EngineChoice({ facts, asked, live, begin }: ChoiceProps) {
  const chosen = (asked.value.engines ?? []).filter((name) => facts.engines.some((one) => one.name === name));
  const flip = (name: string) => {
    const engines = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    asked.value = { ...asked.peek(), engines };
  };
  return (
    <>
      <fieldset class="engine-choice" aria-label="Engines, on the session's grammar and output" disabled={!live}>
        {facts.engines.map(({ name, what, version, install }) => {
          const isMissing = install !== "" && version === "";
          return (
            <label key={name} class={isMissing ? "is-missing" : ""} data-choice={name}>
              <input type="checkbox" checked={chosen.includes(name)} disabled={isMissing} onChange={() => flip(name)} />{" "}
              <b>{name}</b>{" "}
              <span class="xs faint">
                {version} {isMissing ? <code>{install}</code> : what}
              </span>
            </label>
          );
        })}
      </fieldset>
      <button type="button" disabled={!live || chosen.length === 0} onClick={() => begin({ engines: chosen })}>
        {chosen.length === 0 ? "compare" : `compare with ${plural(chosen.length, "engine")}`}
      </button>
    </>
  );
}
