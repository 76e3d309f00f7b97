// Compare: the same bytes in A, the session, and in B: other switches of the engine, another grammar, another session; or in other engines.
//
// Reader sees  what must agree and does not, before all else; the verdict; a square for each mask and the times of both under it; the tokens
//              that differ; what each costs. Python -> browser: the report, as it grows. Browser -> Python: what B is, stop, the step.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorOf, notRecorded } from "../../answers";
import { Empty, Notice, Panel, Refusal, Seg, Unrecorded, useWidth } from "../../parts/small";
import type { Store } from "../../store";
import { int, plural } from "../../text";
import type { PanelProps } from "../../view";
import type { CompareReport, Phase, WireError } from "../../wire";
import { EngineFindings, Engines, enginesTold } from "./engines";
import { ComparedMask, heldOf, useRows } from "./mask";
import { Findings, Progress, Verdict, what } from "./parts";
import { ShortestPart } from "./shortest";
import { CompareSteps, Key, told } from "./steps";
import { StepsTable } from "./table";
import { Costs, Differing, PHASE_NAMES } from "./tables";
import { CompareTapes } from "./tapes";
import { useFacts, useTold } from "./told";
import { type Asked, type Mode, With } from "./with";

const [WIDE, MIDDLE] = [1400, 680];
/** Pixels for a picture: without padding and the first bytes. */
const roomOf = (width: number) => Math.floor(width >= WIDE ? width / 3 : width >= MIDDLE ? width / 2 : width) - 72;
const gridOf = (width: number) => (width >= WIDE ? "wide" : width >= MIDDLE ? "middle" : "");

/** Both masks of a step, once the comparison is over. */
function Masks({
  report,
  ...of
}: {
  store: Store;
  report: CompareReport;
  step: number;
  room: number;
  solo: Signal<number | null>;
}) {
  const held = heldOf(report);
  const rows = useRows(of.store, held, of.step, of.step < report.n_done);
  return <ComparedMask {...of} held={held} rows={rows} />;
}

function Report({
  store,
  report,
  width,
  table,
  solo,
  live,
  stop,
}: {
  store: Store;
  report: CompareReport;
  width: number;
  table: boolean;
  solo: Signal<number | null>;
  live: boolean;
  stop: () => void;
}) {
  const phase = useSignal<Phase>("first");
  const byte = useSignal(0);
  const step = store.step.value;
  const inBytes = report.unit === "byte";
  const steps = store.link.trace.value?.steps ?? [];
  const cursor = Math.min(inBytes ? byte.value : (step?.index ?? 0), report.n_steps - 1);
  // a step that was not reached has no masks: then those where they part
  const compared = cursor < report.n_done ? cursor : (report.divergence?.step ?? report.n_done - 1);
  const along = {
    goTo: (to: number) => {
      if (!inBytes) return store.goTo(to);
      byte.value = Math.max(0, Math.min(to, report.n_steps - 1));
      store.goTo(steps.findLast((s) => s.byte_begin <= byte.peek())?.index ?? 0);
    },
  };
  const [room, grid] = [roomOf(width), gridOf(width)];
  return (
    <>
      <div class="body">
        <Verdict report={report} />
        {!report.is_running && (
          <ShortestPart
            report={report}
            live={live}
            search={() => void store.link.channel.call("compare_shortest").catch(() => undefined)}
            stop={stop}
          />
        )}
        {report.n_done > 0 &&
          (table ? (
            <StepsTable store={along} report={report} cursor={cursor} />
          ) : (
            <>
              <CompareTapes store={along} report={report} cursor={cursor} width={width - 32} />
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
          {!report.is_running && (
            <div class="body">
              <Masks store={store} report={report} step={compared} room={room} solo={solo} />
            </div>
          )}
          <Differing store={store} report={report} cursor={cursor} />
          {report.rounds_done > 0 && <Costs report={report} />}
        </div>
      )}
    </>
  );
}

/** What B was, as far as the report says: so that switches show what they compared. */
const askedOf = (report: CompareReport | null): Asked => ({
  switches: Object.fromEntries(Object.entries(report?.changed ?? {}).map(([name, [, b]]) => [name, b])),
});

export function Compare({ store }: PanelProps) {
  const [box, width] = useWidth();
  const solo = useSignal<number | null>(null);
  const found = useTold(store, "compare").value;
  const known = found && !("error" in found) ? found : null;
  const ofEngines = known && "engines" in known ? known : null;
  const report = known && !("engines" in known) ? known : null;
  const refused = useSignal<WireError | null>(null);
  const mode = useSignal<Mode>(ofEngines ? "engines" : "options");
  const asked = useSignal<Asked>(askedOf(report));
  const table = useSignal(false);
  const others = ofEngines?.engines.slice(1).map(({ name }) => name);
  const facts = useFacts(store, mode.value, JSON.stringify([others, ofEngines?.is_running]));
  const live = store.canCommand.value;
  const error = found && "error" in found ? found.error : refused.value;
  const changed = JSON.stringify(report?.changed);
  useEffect(() => {
    if (report && !report.is_running) asked.value = { ...asked.peek(), ...askedOf(report) }; // Python may have begun it
  }, [changed, report?.is_running]);
  useEffect(() => {
    if (!others) return;
    mode.value = "engines";
    asked.value = { ...asked.peek(), engines: others };
  }, [JSON.stringify(others), ofEngines?.is_running]);
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
    const isBusy = known?.is_running || report?.shortest?.is_running;
    const digit = event.target instanceof HTMLTextAreaElement ? 0 : Number(event.key);
    if (event.key === "Escape" && isBusy) stop();
    else if (digit >= 1 && digit <= 4) solo.value = solo.value === digit - 1 ? null : digit - 1;
    else return;
    event.preventDefault();
  };
  const length = store.link.trace.value?.steps.filter((step) => step.kind !== null).length ?? 0;
  const compared = ofEngines ? ofEngines.tape.length : report?.unit === "token" ? report.texts.length : null;
  const stale = compared !== null && !known?.is_running && compared !== length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: escape stops the comparison wherever in the panel it is pressed
    <div onKeyDown={keys}>
      <Panel
        readout={report ? what(report) : ofEngines && enginesTold(ofEngines)}
        table={table.value}
        onTable={
          (report ?? ofEngines)?.n_done
            ? () => {
                table.value = !table.value;
              }
            : undefined
        }
      >
        {error && <Refusal error={error} />}
        {report && <Findings report={report} />}
        {ofEngines && <EngineFindings report={ofEngines} />}
        {known?.is_running && <Progress report={known} stop={stop} />}
        {stale && (
          <Notice level="hint">
            The session has changed since: {plural(compared, "token")} then, {int(length)} now.
          </Notice>
        )}
        <div ref={box}>
          {facts && live && (
            <With
              facts={facts}
              mode={mode}
              asked={asked}
              live={live}
              begin={begin}
              report={report}
              grammar={store.link.trace.value?.header.grammar.text ?? ""}
            />
          )}
          {report && width > 0 && (
            <Report
              store={store}
              report={report}
              width={width}
              table={table.value}
              solo={solo}
              live={live}
              stop={stop}
            />
          )}
          {ofEngines && width > 0 && (
            <Engines
              store={store}
              report={ofEngines}
              width={width}
              grid={gridOf(width)}
              room={roomOf(width)}
              table={table.value}
              solo={solo}
            />
          )}
          {!known && !error && (
            <div class="body">
              <Empty title="Nothing compared yet">
                {live ? (
                  mode.value === "engines" ? (
                    "Choose engines to replay the output on each: their masks are laid over each other, and where two part, a judge says who is wrong."
                  ) : (
                    "Change an engine option to replay the output with both settings. No switch may change a mask; what changes is the time."
                  )
                ) : (
                  <Unrecorded
                    of={notRecorded(
                      "A comparison",
                      "from xg2lab.widgets import Compare",
                      "print(Compare(session).run(parser='pda'))",
                      "print(Compare(session).engines(['xg2lab-pda']))",
                    )}
                  />
                )}
              </Empty>
            </div>
          )}
        </div>
        {known && !known.is_running && (
          <p class="foot xs faint">
            <span>
              {report
                ? `${plural(report.n_done, "mask")} of each, ${plural(report.rounds_done, "round")} of times`
                : plural(ofEngines?.engines.length ?? 0, "engine")}{" "}
              in {known.seconds.toFixed(known.seconds < 10 ? 2 : 0)} s
            </span>
            {known.stopped && <span>stopped: {known.stopped}</span>}
          </p>
        )}
      </Panel>
    </div>
  );
}
