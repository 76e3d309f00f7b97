// The three lists of an audit: states with their masks, checks of the tokenizer, keywords of the schema.
import { Glyph, type Shape } from "../../parts/glyphs";
import { Token } from "../../parts/small";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { int } from "../../text";
import { NOTHING_SELECTED } from "../../trace";
import type { AuditReport, StateAudit } from "../../wire";
import { ofToken, type Repro } from "./repro";

interface ListProps {
  report: AuditReport;
  show: (repro: Repro) => void;
}

function Tokens({ state, show }: { state: StateAudit; show: (repro: Repro) => void }) {
  return (
    <tr class="differ">
      <td colSpan={7}>
        {state.disagreements.map((found) => (
          <p key={`${found.step} ${found.token_id}`}>
            <Token text={found.text} /> <span class="faint">{found.token_id}</span> mask {found.mask ? "yes" : "no"},
            accept {found.accept ? "yes" : "no"}, step {found.step}{" "}
            <button type="button" class="link" onClick={() => show(ofToken(found))}>
              repro
            </button>
          </p>
        ))}
      </td>
    </tr>
  );
}

/** A row a state; a click goes to the first step that stood there. */
export function States({ store, report, show }: ListProps & { store: Store }) {
  const most = Math.log10(report.vocab_size + 1);
  const here = store.step.value?.index;
  const goTo = (state: StateAudit) =>
    store.select({ ...NOTHING_SELECTED, step: state.steps[0] ?? null, state: state.state });
  return (
    <div class="body">
      <h3 class="xs faint">mask = accept, for every token at every state visited</h3>
      <Table
        heads={[
          "state",
          "#visits",
          "allowed, log",
          "#allowed",
          "#uncertain, kept",
          "#uncertain, lost",
          "#mask ≠ accept",
        ]}
        cls="audit-table"
        label="States"
      >
        {report.states.map((state) => (
          <>
            <tr
              key={state.name}
              class={here !== undefined && state.steps.includes(here) ? "is-selected" : ""}
              data-state={state.name}
            >
              <th scope="row">
                <button
                  type="button"
                  class="link mono s"
                  title={`Go to step ${state.steps[0]}`}
                  onClick={() => goTo(state)}
                >
                  {state.name}
                </button>
              </th>
              <td class="num faint" title={`${state.n_checked} of them checked`}>
                {state.n_checked === state.steps.length
                  ? state.steps.length
                  : `${state.n_checked}/${state.steps.length}`}
              </td>
              <td class="bar-cell">
                <i class="allowed" style={{ width: `${(100 * Math.log10(state.n_allowed + 1)) / most}%` }} />
              </td>
              <td class="num">{state.n_checked ? int(state.n_allowed) : ""}</td>
              <td class="num">{state.n_uncertain_accepted || ""}</td>
              <td class="num">{state.n_uncertain_rejected || ""}</td>
              <td class={state.disagreements.length ? "num bad" : "num"}>
                {state.disagreements.length > 0 ? (
                  int(state.disagreements.length)
                ) : state.n_checked ? (
                  <>
                    <Glyph shape="yes" size={10} />
                    <span class="unseen">0</span>
                  </>
                ) : (
                  <span class="faint">waits</span>
                )}
              </td>
            </tr>
            {state.disagreements.length > 0 && <Tokens state={state} show={show} />}
          </>
        ))}
      </Table>
    </div>
  );
}

const LEVELS: Record<string, Shape> = { ok: "yes", hint: "hint", warning: "warning", error: "error" };

export const Checks = ({ report, show }: ListProps) => (
  <div class="body">
    <h3 class="xs faint">tokenizer</h3>
    <ul class="checks">
      {report.checks.map((check) => (
        <li key={check.name} data-check={check.name} data-level={check.level}>
          <Glyph shape={LEVELS[check.level] ?? "hint"} />
          <span>
            {check.name}
            <span class="unseen"> {check.level}</span>
          </span>
          <span class="num">{check.value}</span>
          {check.level !== "ok" && check.level !== "error" && check.details && (
            <p class="xs dim">
              {check.details}{" "}
              {check.repro && (
                <button type="button" class="link xs" onClick={() => show({ title: check.name, text: check.repro })}>
                  repro
                </button>
              )}
            </p>
          )}
        </li>
      ))}
    </ul>
  </div>
);

const KEPT: Record<string, Shape> = { enforced: "yes", annotation: "hint", relaxed: "warning", refused: "no" };

export function Coverage({ report, show }: ListProps) {
  const uses = report.coverage;
  const n = uses.filter((use) => use.state === "enforced").length;
  return (
    <div class="body">
      <h3 class="xs faint">schema coverage{uses.length > 0 && `: ${n} of ${uses.length} enforced`}</h3>
      {uses.length === 0 ? (
        <p class="dim s">This grammar was not made from a JSON Schema.</p>
      ) : (
        <Table heads={["JSON Pointer", "what became of it"]} cls="coverage" label="Keywords of the schema">
          {uses.map((use) => (
            <tr key={use.pointer} data-pointer={use.pointer} data-kept={use.state}>
              <th scope="row">
                <button
                  type="button"
                  class="link mono s"
                  title="Lines that show it"
                  onClick={() => show({ title: use.pointer, text: use.repro })}
                >
                  {use.pointer || "/"}
                </button>
                {use.note && <p class="xs dim">{use.note}</p>}
              </th>
              <td>
                <Glyph shape={KEPT[use.state] ?? "hint"} size={10} /> {use.state}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}
