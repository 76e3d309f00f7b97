// LockstepView: two to four runs beside each other, stepped by one key; where they part, and why.
//
// Reader sees  a row of tokens a side, aligned by bytes, below each token the mass that its mask removed; the first byte that differs; what one
//              mask blocks of the other's tokens; what each allows that the first does not. Python -> browser: the report, as it grows.
//              Browser -> Python: moves of all sides, a side to add or take away, the selection in a side's own session.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorOf, notRecorded, type Refused } from "../../answers";
import { isField } from "../../focus";
import { Glyph, Icon } from "../../parts/glyphs";
import { Empty, Panel, Refusal, Unrecorded, useWidth } from "../../parts/small";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { plural, prob, visible } from "../../text";
import type { PanelProps } from "../../view";
import type {
  LockstepAddRequest,
  LockstepDropRequest,
  LockstepHeld,
  LockstepReport,
  LockstepRequest,
} from "../../wire";
import { useTold } from "../compare/told";
import { Beside, type Send } from "./beside";
import { letter, rowsOf, stepAt } from "./layout";
import { Rows } from "./rows";

/** Selects a token at a step of a side: the one click from a difference to its reason. */
type Pick = (side: number, step: number, token: number | null) => void;

/** What the others' masks hold at a step of A: recorded for the newest steps, asked for an earlier one. */
function useHeld(store: Store, report: LockstepReport | null, step: number | null): readonly (LockstepHeld | null)[] {
  const asked = useSignal<{ step: number; held: readonly (LockstepHeld | null)[] } | null>(null);
  const known = step === null ? report?.newest : report?.held[step];
  const wants = !known && report !== null && store.canCommand.value ? step : null;
  useEffect(() => {
    if (wants === null) return;
    store.link.channel.call("lockstep_held", { step: wants }).then(
      ({ content }) => {
        asked.value = { step: wants, held: content.held };
      },
      () => undefined,
    );
  }, [wants, store, asked]);
  return known ?? (asked.value?.step === step ? asked.value?.held : null) ?? [];
}

export function LockstepView({ store }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  /** the byte that the cursor stands on; null: the newest step of each side */
  const at = useSignal<number | null>(null);
  const why = useSignal("");
  const refused = useSignal<Refused | null>(null);
  const found = useTold(store, "lockstep").value;
  const report = found && !("error" in found) ? found : null;
  const live = store.canCommand.value;
  const error = found && "error" in found ? found.error : refused.value;
  const past = store.past;
  const first = report?.sides[0];
  useEffect(() => {
    at.value = past === null ? null : (first?.steps[past]?.[0] ?? null);
  }, [past, at]);
  const stepOfA = at.value === null || !first ? null : stepAt(first, at.value);
  const held = useHeld(store, report, stepOfA);

  const failed = (cause: unknown) => {
    refused.value = errorOf(cause);
  };
  const send: Send = (kind, what) => {
    refused.value = null;
    why.value = "";
    store.clearError();
    store.link.channel.call(kind, what as LockstepRequest & LockstepAddRequest & LockstepDropRequest).catch(failed);
  };
  const move = (what: LockstepRequest) => {
    if (past !== null) store.goTo(Number.POSITIVE_INFINITY);
    at.value = null;
    send("lockstep", what);
  };
  const run = () => (report?.is_running ? store.pause() : move({ do: "run" }));
  const pick: Pick = (side, step, token) => {
    why.value = "";
    if (side === 0) store.select({ step, token });
    if (!live) return;
    store.link.channel.call("lockstep_select", { side, step, token }).then(({ content }) => {
      why.value = content.why;
    }, failed);
  };
  const keys = (event: KeyboardEvent) => {
    if (!live || !report || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.composedPath()[0] as HTMLElement;
    if (isField(target) || (event.key === " " && target instanceof HTMLButtonElement)) return;
    if (event.key === "ArrowRight") move({ do: "step" });
    else if (event.key === "ArrowLeft") move({ do: "back" });
    else if (event.key === " ") run();
    else return;
    event.preventDefault();
  };
  const go = (side: number, step: number) => {
    at.value = report?.sides[side]?.steps[step]?.[0] ?? null;
    if (side === 0) store.goTo(step);
    else pick(side, step, null);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: one key steps all sides wherever in the panel it is pressed
    <div onKeyDown={keys}>
      <Panel
        readout={report?.sides.map(({ name }) => name).join(", ")}
        tools={live && report && <Moves isRunning={report.is_running} move={move} run={run} />}
        table={table.value}
        onTable={
          report
            ? () => {
                table.value = !table.value;
              }
            : undefined
        }
      >
        {error && <Refusal error={error} />}
        <div class="body lockstep" ref={box}>
          {!report && (
            <Empty title="One run so far">
              {live ? (
                "Add a second one: they step together, and the first difference is marked."
              ) : (
                <Unrecorded
                  of={notRecorded("A second run", "from xg2lab.widgets import LockstepView", "LockstepView([a, b])")}
                />
              )}
            </Empty>
          )}
          {report && table.value && <StepsTable report={report} go={go} at={at.value} />}
          {report && !table.value && width > 0 && <Rows report={report} at={at.value} width={width} go={go} />}
          {report && <Partings report={report} pick={pick} />}
          {report && <Masks report={report} held={held} pick={pick} />}
          <p class="s" role="status" data-why hidden={!why.value}>
            {why.value}
          </p>
          {report && <Sides report={report} at={at.value} live={live} send={send} />}
          {live && (report?.sides.length ?? 1) < 4 && <Beside store={store} send={send} n={report?.sides.length} />}
        </div>
      </Panel>
    </div>
  );
}

interface MovesProps {
  isRunning: boolean;
  move: (what: LockstepRequest) => void;
  run: () => void;
}
function Moves({ isRunning, move, run }: MovesProps) {
  const icon = (name: "start" | "back", label: string, what: LockstepRequest) => (
    <button
      type="button"
      class="ghost icon"
      title={label}
      aria-label={label}
      disabled={isRunning}
      onClick={() => move(what)}
    >
      <Icon name={name} filled />
    </button>
  );
  return (
    <>
      {icon("start", "Begin again on all sides", { do: "reset" })}
      {icon("back", "Take the last token of all sides back (←)", { do: "back" })}
      <button type="button" disabled={isRunning} title="Step all sides (→)" onClick={() => move({ do: "step" })}>
        <Icon name="step" filled />
        step all
      </button>
      <button
        type="button"
        disabled={isRunning}
        title="Run until the outputs differ"
        onClick={() => move({ do: "run", until: "parts" })}
      >
        until they part
      </button>
      <button type="button" class="primary" title="Run or pause all sides (space)" onClick={run}>
        <Icon name={isRunning ? "pause" : "run"} filled />
        {isRunning ? "pause all" : "run all"}
      </button>
    </>
  );
}

/** Where each side parts from the first, and what a mask blocks of the other's token. */
function Partings({ report, pick }: { report: LockstepReport; pick: Pick }) {
  return (
    <>
      {report.partings.map((parting, k) => (
        <div key={k} class="s" data-parting={parting?.byte ?? ""}>
          <Glyph shape={parting ? "no" : "yes"} /> {letter(k + 1)}: {parting?.says ?? "no difference from A so far"}
          {parting?.refused.map((one) => (
            <div key={String(one.is_a)} class="refused">
              <button type="button" class="link" onClick={() => pick(one.is_a ? 0 : k + 1, one.step, one.token_id)}>
                why {letter(one.is_a ? 0 : k + 1)} blocks {visible(one.text)}
              </button>{" "}
              <span class="dim">{one.reason}</span>
            </div>
          ))}
        </div>
      ))}
    </>
  );
}

/** What one mask allows and the other does not. A click on a token asks the side that blocks it. */
function Masks({ report, held, pick }: { report: LockstepReport; held: readonly (LockstepHeld | null)[]; pick: Pick }) {
  const alone = (own: number, other: number, n: number, some: LockstepHeld["only_a"], step: number) =>
    n > 0 && (
      <span>
        {letter(own)} alone allows {plural(n, "token")}:{" "}
        {some.map(([token, text, p]) => (
          <button
            key={token}
            type="button"
            class="plain tok"
            title={`${p === null ? "" : `p ${prob(p)}; `}why ${letter(other)} blocks it`}
            onClick={() => pick(other, step, token)}
          >
            {visible(text)}
          </button>
        ))}
        {n > some.length && " …"}
      </span>
    );
  return (
    <>
      {report.partings.map((_, k) => {
        const one = held[k];
        if (!one)
          return (
            <p key={k} class="s dim">
              {letter(k + 1)}: the masks of this step are not recorded
            </p>
          );
        const [a, b] = one.steps as [number, number];
        return (
          <p key={k} class="s held" data-held={`${one.n_only_a},${one.n_only_b}`}>
            <span class="faint">
              masks A {a}, {letter(k + 1)} {b}
              {!one.is_same_text && ", after different texts"}
            </span>
            {one.n_only_a + one.n_only_b === 0 && <span>they allow the same tokens</span>}
            {alone(0, k + 1, one.n_only_a, one.only_a, b)}
            {alone(k + 1, 0, one.n_only_b, one.only_b, a)}
          </p>
        );
      })}
    </>
  );
}

interface SidesProps {
  report: LockstepReport;
  at: number | null;
  live: boolean;
  send: Send;
}
/** What varies, how far each side is, and what its masks removed. */
function Sides({ report, at, live, send }: SidesProps) {
  const { sides } = report;
  const row = (what: string, cells: readonly (string | null)[], mono = false) => (
    <tr key={what}>
      <th scope="row">{what}</th>
      {cells.map((cell, k) => (
        <td key={k} class={mono ? "mono" : ""}>
          {cell}
        </td>
      ))}
    </tr>
  );
  const z = sides.map((side) => side.steps[stepAt(side, at)]?.[4] ?? null);
  return (
    <Table label="Sides" heads={["(what)", ...sides.map(({ name }, k) => `${letter(k)} ${name}`)]}>
      {report.varies.map(([what, values]) => row(what, values, true))}
      {row(
        "tokens",
        sides.map(({ steps }) => String(steps.filter(([, , token]) => token !== null).length)),
      )}
      {row(
        "allowed mass Z here",
        z.map((one) => (one === null ? "" : prob(one))),
      )}
      {row(
        "removed by masks, nats",
        sides.map(({ nats }) => nats?.toFixed(2) ?? ""),
      )}
      {row(
        "status",
        sides.map(({ status, stopped, hint }) => (stopped ? `stopped: ${stopped}. ${hint}` : status)),
      )}
      {live && (
        <tr data-act>
          <th scope="row" />
          {sides.map((_, side) => (
            <td key={side}>
              {side > 0 && (
                <button type="button" class="link" onClick={() => send("lockstep_drop", { side })}>
                  take {letter(side)} away
                </button>
              )}
            </td>
          ))}
        </tr>
      )}
    </Table>
  );
}

/** The table twin: a row a byte at which a token begins. */
function StepsTable({
  report,
  go,
  at,
}: {
  report: LockstepReport;
  go: (side: number, step: number) => void;
  at: number | null;
}) {
  const { rows } = rowsOf(report);
  const bytes = [...new Set(rows.flatMap((row) => row.map(({ from }) => from)))].sort((a, b) => a - b);
  const here = at ?? bytes.at(-1);
  return (
    <Table label="Tokens by byte" heads={["#byte", ...report.sides.flatMap((_, k) => [letter(k), `#Z ${letter(k)}`])]}>
      {bytes.map((byte) => (
        <tr key={byte} class={byte === here ? "is-selected" : ""} data-byte={byte}>
          <td class="num">{byte}</td>
          {report.sides.flatMap(({ steps }, side) => {
            const step = steps.findIndex(([begin]) => begin === byte);
            const z = steps[step]?.[4] ?? null;
            return [
              <td key={`t${side}`} class="mono">
                {step >= 0 && (
                  <button type="button" class="plain" onClick={() => go(side, step)}>
                    {visible(steps[step]?.[3] || "…")}
                  </button>
                )}
              </td>,
              <td key={`z${side}`} class="num">
                {z === null ? "" : prob(z)}
              </td>,
            ];
          })}
        </tr>
      ))}
    </Table>
  );
}
