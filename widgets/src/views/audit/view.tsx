// Audit: is the mask right? Every token at every visited state, mask bit = accept; then the tokenizer, then the schema.
//
// Reader sees  findings first, then how far it has come, then three lists; a click on a finding shows lines that reproduce it.
//              Python -> browser: the report, as it grows. Browser -> Python: begin, stop, and the selected step.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorOf, notRecorded } from "../../answers";
import { copyText } from "../../clipboard";
import { Icon } from "../../parts/glyphs";
import { Empty, Notice, Panel, Refusal, Unrecorded, useWidth } from "../../parts/small";
import type { Store } from "../../store";
import { int, plural } from "../../text";
import type { PanelProps } from "../../view";
import type { AuditReport, WireError } from "../../wire";
import { Checks, Coverage, States } from "./lists";
import { ofToken, type Repro } from "./repro";

const [WIDE, MIDDLE] = [1080, 680];
type Told = AuditReport | { error: WireError } | null;

/** The report that the session's model carries, followed. */
function useTold(store: Store): Signal<Told> {
  const { model } = store.link.handle;
  const told = useSignal<Told>(model.get("audit"));
  useEffect(() => {
    const follow = () => {
      told.value = model.get("audit");
    };
    follow();
    model.on("change:audit", follow);
    return () => model.off("change:audit", follow);
  }, [model, told]);
  return told;
}

/** What was found wrong, worst first: before anything else. */
function Findings({ report, show }: { report: AuditReport; show: (repro: Repro) => void }) {
  const bad = report.states.flatMap((state) => state.disagreements.map((found) => ({ state, found })));
  const names = [...new Set(bad.map(({ state }) => state.name))];
  const first = bad[0];
  return (
    <>
      {first && (
        <Notice level="error">
          mask and accept disagree on {plural(bad.length, "token")} in <code>{names.slice(0, 3).join(", ")}</code>
          {names.length > 3 && " …"}{" "}
          <button type="button" class="link" onClick={() => show(ofToken(first.found))}>
            minimal repro
          </button>
        </Notice>
      )}
      {report.checks
        .filter((check) => check.level === "error")
        .map((check) => (
          <Notice key={check.name} level="error" more={check.details}>
            <b>{check.name}</b>: {check.value}{" "}
            {check.repro && (
              <button type="button" class="link" onClick={() => show({ title: check.name, text: check.repro })}>
                minimal repro
              </button>
            )}
          </Notice>
        ))}
    </>
  );
}

function Progress({ report, stop }: { report: AuditReport; stop: () => void }) {
  const share = report.n_steps ? report.n_done / report.n_steps : 1;
  const left = report.n_done ? (report.seconds * (report.n_steps - report.n_done)) / report.n_done : null;
  const n = report.n_done * report.vocab_size;
  return (
    <div class="progress">
      <span
        class="track"
        role="progressbar"
        aria-label="Audit"
        aria-valuemin={0}
        aria-valuemax={report.n_steps}
        aria-valuenow={report.n_done}
      >
        <i style={{ width: `${100 * share}%` }} />
      </span>
      <span class="xs dim">
        state {report.n_done} of {report.n_steps}, {int(n)} of {int(report.n_steps * report.vocab_size)}
        {left !== null && `, ${left.toFixed(1)} s left`}
      </span>
      <button type="button" onClick={stop}>
        stop<kbd>esc</kbd>
      </button>
    </div>
  );
}

/** Lines that reproduce a finding, numbered, to be copied. */
function Lines({ repro }: { repro: Repro }) {
  const said = useSignal("");
  const lines = repro.text.split("\n");
  const copy = async () => {
    said.value = (await copyText(repro.text)) ? "copied" : "select the lines and copy them";
  };
  return (
    <section class="repro-part" aria-label="Minimal repro">
      <p class="sub xs faint">
        <span>
          minimal repro, {plural(lines.length, "line")}: {repro.title}
        </span>
        <span>
          <span role="status">{said.value}</span>
          <button type="button" class="ghost" onClick={copy}>
            <Icon name="copy" /> copy
          </button>
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key */}
      <pre class="repro mono s" tabIndex={0}>
        {lines.map((line, k) => (
          <div key={k}>{line || " "}</div>
        ))}
      </pre>
    </section>
  );
}

function summary(report: AuditReport): string {
  const bad = report.states.reduce((n, state) => n + state.disagreements.length, 0);
  const verdict = bad ? `mask and accept disagree on ${plural(bad, "token")}` : "mask equals accept everywhere";
  const whole = report.n_done === report.n_steps;
  return `${whole ? "" : `${report.n_done} of `}${plural(report.n_steps, "state")} × ${int(report.vocab_size)} tokens: ${verdict}`;
}

function Report({ store, report, width }: { store: Store; report: AuditReport; width: number }) {
  const repro = useSignal<Repro | null>(null);
  const show = (what: Repro) => {
    repro.value = what;
  };
  const stop = () => void store.link.channel.call("audit_stop").catch(() => undefined);
  const grid = width >= WIDE ? "wide" : width >= MIDDLE ? "middle" : "";
  return (
    <>
      <Findings report={report} show={show} />
      {report.is_running && <Progress report={report} stop={stop} />}
      {repro.value && <Lines repro={repro.value} />}
      <div class={`audit-grid ${grid}`}>
        <States store={store} report={report} show={show} />
        <Checks report={report} show={show} />
        <Coverage report={report} show={show} />
      </div>
      <p class="foot xs faint">
        <span>
          {int(report.n_done * report.vocab_size)} checks in {report.seconds.toFixed(report.seconds < 10 ? 2 : 0)} s
        </span>
        {report.stopped && <span>stopped: {report.stopped}</span>}
      </p>
    </>
  );
}

export function Audit({ store }: PanelProps) {
  const [box, width] = useWidth();
  const told = useTold(store).value;
  const refused = useSignal<WireError | null>(null);
  const report = told && !("error" in told) ? told : null;
  const error = told && "error" in told ? told.error : refused.value;
  const visited = (store.link.trace.value?.steps ?? []).filter((step) => step.n_allowed !== null).length;
  const live = store.canCommand.value;
  const begin = () => {
    refused.value = null;
    store.link.channel.call("audit").catch((cause: unknown) => {
      refused.value = errorOf(cause);
    });
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !report?.is_running) return;
    event.preventDefault();
    store.link.channel.call("audit_stop").catch(() => undefined);
  };
  const stale = report && !report.is_running && report.n_steps !== visited;
  const button = (
    <button type="button" disabled={!live || report?.is_running || visited === 0} onClick={begin}>
      {report ? "run again" : `check ${plural(visited, "state")}`}
    </button>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: escape stops the audit wherever in the panel it is pressed
    <div onKeyDown={keys}>
      <Panel readout={report && summary(report)} tools={report && button}>
        {error && <Refusal error={error} />}
        {stale && (
          <Notice level="hint">
            The session has changed since: {plural(report.n_steps, "state")} then, {int(visited)} now.
          </Notice>
        )}
        <div ref={box}>
          {report && width > 0 && <Report store={store} report={report} width={width} />}
          {!report && !error && (
            <div class="body">
              <Empty title={visited === 0 ? "No state visited yet" : "Not audited yet"} actions={live && button}>
                {live || visited === 0 ? (
                  "Checks every token at every state that the run visited: its mask bit is set if and only if the matcher accepts it. Then the tokenizer, then the schema's keywords."
                ) : (
                  <Unrecorded
                    of={notRecorded("An audit", "from xg2lab.widgets import Audit", "print(Audit(session).run())")}
                  />
                )}
              </Empty>
            </div>
          )}
        </div>
      </Panel>
    </div>
  );
}
