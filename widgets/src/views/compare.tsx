// Compare: the same bytes in A, the session, and in B: other switches of the engine, another grammar, another session.
//
// Reader sees  what must agree and does not, before all else; the verdict; a square for each mask and the times of both under it; the tokens
//              that differ; what each costs. Python -> browser: the report, as it grows. Browser -> Python: what B is, stop, the step.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorOf, notRecorded } from "../answers";
import type { PanelProps } from "../panels";
import { Empty, Notice, Panel, Seg, useWidth } from "../parts/small";
import type { Store } from "../store";
import { int, plural } from "../text";
import type { WireError } from "../wire";
import type { CompareReport, Phase, SwitchFacts } from "../wire_compare";
import { Findings, Progress, Verdict, what } from "./compare_parts";
import { CompareSteps, Key, told } from "./compare_steps";
import { Costs, Differing, PHASE_NAMES, StepsTable } from "./compare_tables";
import { type Asked, type Mode, With } from "./compare_with";

const [WIDE, MIDDLE] = [1080, 680];
type Facts = { switches: SwitchFacts[]; sessions: string[] };
type Told = CompareReport | { error: WireError } | null;

/** The report that the session's model carries, followed. */
function useTold(store: Store): Signal<Told> {
  const { model } = store.link.handle;
  const found = useSignal<Told>(model.get("compare") ?? null);
  useEffect(() => {
    const follow = () => {
      found.value = model.get("compare");
    };
    follow();
    model.on("change:compare", follow);
    return () => model.off("change:compare", follow);
  }, [model, found]);
  return found;
}

/** What can be chosen for B, asked when the kernel is there and when the session begins again. */
function useFacts(store: Store, mode: Mode): Facts | null {
  const facts = useSignal<Facts | null>(null);
  const live = store.canCommand.value;
  const grammar = store.link.trace.value?.header.grammar.text;
  useEffect(() => {
    if (!live) return;
    store.link.channel.call("compare_with").then(
      ({ content }) => {
        facts.value = content as unknown as Facts;
      },
      () => undefined,
    );
  }, [live, mode, grammar, facts, store]);
  return facts.value;
}

function Report({
  store,
  report,
  width,
  table,
}: {
  store: Store;
  report: CompareReport;
  width: number;
  table: boolean;
}) {
  const phase = useSignal<Phase>("first");
  const byte = useSignal(0);
  const step = store.step.value;
  const inBytes = report.unit === "byte";
  const steps = store.link.trace.value?.steps ?? [];
  const cursor = Math.min(inBytes ? byte.value : (step?.index ?? 0), report.n_steps - 1);
  const along = {
    goTo: (to: number) => {
      if (!inBytes) return store.goTo(to);
      byte.value = Math.max(0, Math.min(to, report.n_steps - 1));
      store.goTo(steps.findLast((s) => s.byte_begin <= byte.peek())?.index ?? 0);
    },
  };
  const grid = width >= WIDE ? "wide" : width >= MIDDLE ? "middle" : "";
  return (
    <>
      <div class="body">
        <Verdict report={report} />
        {report.n_done > 0 &&
          (table ? (
            <StepsTable store={along} report={report} cursor={cursor} />
          ) : (
            <>
              <CompareSteps store={along} report={report} phase={phase.value} width={width - 32} cursor={cursor} />
              <div class="compare-under">
                {!inBytes && report.rounds_done > 0 && (
                  <Seg
                    label="Times shown"
                    options={PHASE_NAMES}
                    on={phase.value}
                    pick={(one) => {
                      phase.value = one;
                    }}
                  />
                )}
                {report.rounds_done > 0 && <Key report={report} />}
              </div>
              <p class="s dim" data-told>
                {told(report, cursor, phase.value)}
              </p>
            </>
          ))}
      </div>
      {report.n_done > 0 && (
        <div class={`compare-grid ${grid}`}>
          <Differing store={store} report={report} cursor={cursor} />
          {report.rounds_done > 0 && <Costs report={report} />}
        </div>
      )}
    </>
  );
}

const MODES: readonly (readonly [Mode, string])[] = [
  ["options", "switches"],
  ["grammar", "grammar"],
  ["session", "session"],
];

/** What B was, as far as the report says: so that switches show what they compared. */
const askedOf = (report: CompareReport | null): Asked => ({
  switches: Object.fromEntries(Object.entries(report?.changed ?? {}).map(([name, [, b]]) => [name, b])),
});

export function Compare({ store }: PanelProps) {
  const [box, width] = useWidth();
  const found = useTold(store).value;
  const report = found && !("error" in found) ? found : null;
  const refused = useSignal<WireError | null>(null);
  const mode = useSignal<Mode>("options");
  const asked = useSignal<Asked>(askedOf(report));
  const table = useSignal(false);
  const facts = useFacts(store, mode.value);
  const live = store.canCommand.value;
  const error = found && "error" in found ? found.error : refused.value;
  const known = JSON.stringify(report?.changed);
  useEffect(() => {
    if (report && !report.is_running) asked.value = { ...asked.peek(), ...askedOf(report) }; // Python may have begun it
  }, [known, report?.is_running]);
  const begin = (what: Asked) => {
    asked.value = what;
    refused.value = null;
    const nothing = what.switches && Object.keys(what.switches).length === 0;
    if (nothing) return;
    store.link.channel.call("compare", { ...what }).catch((cause: unknown) => {
      refused.value = errorOf(cause);
    });
  };
  const stop = () => void store.link.channel.call("compare_stop").catch(() => undefined);
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !report?.is_running) return;
    event.preventDefault();
    stop();
  };
  const length = store.link.trace.value?.steps.filter((step) => step.kind !== null).length ?? 0;
  const stale = report && !report.is_running && report.unit === "token" && report.texts.length !== length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: escape stops the comparison wherever in the panel it is pressed
    <div onKeyDown={keys}>
      <Panel
        name="compare"
        title="Compare"
        readout={report && what(report)}
        tools={
          live && (
            <Seg
              label="What B is"
              options={MODES}
              on={mode.value}
              pick={(one) => {
                mode.value = one;
              }}
            />
          )
        }
        table={table.value}
        onTable={
          report?.n_done
            ? () => {
                table.value = !table.value;
              }
            : undefined
        }
      >
        {error && (
          <Notice level="error" more={error.hint ?? ""}>
            <b>{error.type}</b> {error.message}
          </Notice>
        )}
        {report && <Findings report={report} />}
        {report?.is_running && <Progress report={report} stop={stop} />}
        {stale && (
          <Notice level="hint">
            The session has changed since: {plural(report.texts.length, "token")} then, {int(length)} now.
          </Notice>
        )}
        <div ref={box}>
          {facts && live && (
            <With
              facts={facts}
              mode={mode.value}
              asked={asked}
              live={live}
              begin={begin}
              report={report}
              grammar={store.link.trace.value?.header.grammar.text ?? ""}
            />
          )}
          {report && width > 0 && <Report store={store} report={report} width={width} table={table.value} />}
          {!report && !error && (
            <div class="body">
              <Empty title="Nothing compared yet">
                {live
                  ? "Switch something of the engine, and the bytes written so far are replayed both ways. No switch may change a mask; what changes is the time."
                  : `${notRecorded("A comparison").message}. ${notRecorded().hint}`}
              </Empty>
            </div>
          )}
        </div>
        {report && !report.is_running && (
          <p class="foot xs faint">
            <span>
              {plural(report.n_done, "mask")} of each, {plural(report.rounds_done, "round")} of times in{" "}
              {report.seconds.toFixed(report.seconds < 10 ? 2 : 0)} s
            </span>
            {report.stopped && <span>stopped: {report.stopped}</span>}
          </p>
        )}
      </Panel>
    </div>
  );
}
