// A comparison of engines: who is wrong, the text with a row an engine, two of their masks laid over each other, times cold and warm.
//
// Reader sees  an engine that failed, before all else; where engines part, with the byte, and the verdict with its reason; the tokens;
//              the masks of two at the step under the cursor. Python -> browser: the report, as it grows, by the trait `compare`.
import { type Signal, useSignal } from "@preact/signals";
import { copyText } from "../../clipboard";
import { Glyph, Icon } from "../../parts/glyphs";
import { Notice, Token } from "../../parts/small";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { int, plural } from "../../text";
import type { EngineDisagreement, EngineReport, EngineSide } from "../../wire";
import { EngineKey, EngineTape } from "./engine_tape";
import { EngineTimes } from "./engine_times";
import { bytesTold, differsAt, KINDS, markOf, masksTold, pairFor, told, whereTold } from "./layout/engines";
import { differing } from "./layout/masks";
import { ComparedMask, type Held, useRows } from "./mask";
import { type DifferingRow, DifferingTable } from "./tables";

const MOST_LISTED = 40;

/** What B is, in the head of the panel. */
export const enginesTold = (report: EngineReport): string => report.engines.map(({ name }) => name).join(", ");

function Copy({ engine, children }: { engine: EngineSide | undefined; children: string }) {
  const said = useSignal("");
  if (!engine || engine.issue === "") return null;
  const where = `Compare(session).data().issue_text(${JSON.stringify(engine.name)})`;
  const copy = async () => {
    if (engine.issue === null) said.value = `it is too long for a page: ${where}`;
    else said.value = (await copyText(engine.issue)) ? "copied" : `the browser refused: it is in ${where}`;
  };
  return (
    <span class="engine-copy">
      <button type="button" class="link" onClick={copy} data-issue={engine.name}>
        <Icon name="copy" /> {children}
      </button>{" "}
      <span role="status" class="xs faint">
        {said.value}
      </span>
    </span>
  );
}

/** Of a message that shows lines of the grammar, what it says. */
const firstLine = (text: string): string => text.split("\n", 1)[0] as string;

/** Engines that failed or do not read the grammar: before all else. */
export const EngineFindings = ({ report }: { report: EngineReport }) => (
  <>
    {report.engines.map((one) =>
      one.failed || one.refused ? (
        <Notice key={one.name} level={one.failed ? "error" : "warning"}>
          <b>{one.name}</b>{" "}
          <span title={one.failed || one.refused}>
            {one.failed ? firstLine(one.failed) : `does not read this grammar: ${firstLine(one.refused)}`}
          </span>{" "}
          <Copy engine={one}>copy as issue</Copy>
        </Notice>
      ) : null,
    )}
  </>
);

interface PartingProps {
  report: EngineReport;
  one: EngineDisagreement;
  show: () => void;
}
/** Where an engine parts from the first, and who is wrong. */
function Parting({ report, one, show }: PartingProps) {
  const engine = (name: string) => report.engines.find((known) => known.name === name);
  const first = one.listed[0];
  return (
    <div class="parting" data-parts={`${one.a} ${one.b} ${one.step}`}>
      <p class="verdict">
        <Glyph shape="no" />{" "}
        <b>
          {one.a} and {one.b} part at step {one.step}
        </b>{" "}
        <span class="dim">
          {whereTold(one)}. {masksTold(one)}
          {first && first[0] !== one.token_id && (
            <>
              , first <Token text={first[1]} /> {first[2] && <span class="mono xs">{bytesTold(first[2])}</span>} of{" "}
              {first[3] ? one.a : one.b}
            </>
          )}
          .
        </span>{" "}
        <button type="button" class="link" onClick={show}>
          show their masks
        </button>
      </p>
      <ul class="verdicts">
        {one.verdicts.map((verdict) => (
          <li key={verdict.says} data-verdict-kind={verdict.kind} data-wrong={verdict.wrong}>
            <Glyph shape={verdict.kind === "undecided" ? "hint" : verdict.kind === "narrower" ? "warning" : "error"} />{" "}
            <span>
              <span class="kind xs">{KINDS[verdict.kind]}</span>{" "}
              {verdict.kind === "undecided" ? verdict.why : verdict.says}{" "}
              <Copy engine={engine(verdict.wrong || one.b)}>
                {verdict.wrong ? `copy as issue for ${verdict.wrong}` : `copy for ${one.b}`}
              </Copy>
            </span>
          </li>
        ))}
        {one.verdicts.length === 0 && (
          <li class="dim s">
            {report.is_running ? "Who is wrong is not decided yet." : "Nobody was asked who is wrong."}
          </li>
        )}
      </ul>
    </div>
  );
}

/** That they agree, if they do. */
function Agreement({ report }: { report: EngineReport }) {
  const able = report.engines.filter(({ refused, failed, n_allowed }) => !refused && !failed && n_allowed.length > 0);
  const n = Math.min(...able.map(({ n_allowed }) => n_allowed.length));
  if (report.disagreements.length > 0 || report.is_running) return null;
  if (able.length < 2) return <p class="dim">No two engines can be compared.</p>;
  return (
    <p class="verdict" role="status" data-verdict="agree">
      <Glyph shape="yes" /> <b>{able.length === 2 ? "Both" : `All ${able.length}`} agree.</b>{" "}
      <span class="dim">
        {plural(n, "mask")} of each, {int(n * report.vocab_size)} bits, 0 differ.
      </span>
    </p>
  );
}

/** The masks of two engines at the step: which two, the picture, and the tokens that differ. */
function Overlay({ store, report, step, pair, choose, room, solo }: OverlayProps) {
  const [a, b] = pair;
  const held: Held = {
    masks: report.masks,
    about: JSON.stringify([report.tape.length, report.seconds]),
    unit: "token",
    pair: [a, b],
  };
  const lacks = [a, b].filter((k) => markOf(report, step, k) === "none");
  const has = lacks.length === 0;
  const rows = useRows(store, held, step, has);
  const trace = store.link.trace.value;
  const vocabulary = store.link.vocabulary.value;
  const found = has && typeof rows !== "string" ? differing(rows, report.vocab_size, MOST_LISTED) : null;
  const top = new Map(trace?.steps[step]?.top.map(([token, , p]) => [token, p]));
  const texts = new Map(report.disagreements.flatMap(({ listed }) => listed.map(([id, text]) => [id, text])));
  const listed: DifferingRow[] = (found?.ids ?? []).map(([id, isOfA]) => [
    id,
    vocabulary?.text(id) ?? texts.get(id) ?? String(id),
    top.get(id) ?? null,
    isOfA,
  ]);
  const select = (side: 0 | 1) => (
    <label class="xs faint">
      {side === 0 ? "A" : "B"}{" "}
      <select
        class="field"
        aria-label={`Engine ${side === 0 ? "A" : "B"}`}
        value={String(pair[side])}
        onChange={(event) => {
          const picked = Number(event.currentTarget.value);
          choose(side === 0 ? [picked, b] : [a, picked]);
        }}
      >
        {report.engines.map(({ name }, k) => (
          <option key={name} value={String(k)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div class="body">
        <div class="engine-pair">
          {select(0)}
          {select(1)}
        </div>
        {has ? (
          <ComparedMask store={store} held={held} rows={rows} step={step} room={room} solo={solo} />
        ) : (
          <p class="s dim" data-no-masks>
            {lacks.map((k) => report.engines[k]?.name).join(" and ")} {lacks.length > 1 ? "have" : "has"} no mask at
            step {step}.
          </p>
        )}
      </div>
      {found && (
        <div class="body">
          {listed.length > 0 && (
            <DifferingTable
              store={store}
              unit="token"
              step={step}
              rows={listed}
              n={found.counts[0] + found.counts[1]}
            />
          )}
          <p class="s dim">
            {int(found.counts[0])} of {report.engines[a]?.name} (A) alone, {int(found.counts[1])} of{" "}
            {report.engines[b]?.name} (B).
          </p>
        </div>
      )}
    </>
  );
}
interface OverlayProps {
  store: Store;
  report: EngineReport;
  step: number;
  pair: Pair;
  choose: (pair: Pair) => void;
  room: number;
  solo: Signal<number | null>;
}
type Pair = readonly [number, number];

/** The table twin of the tape: a row a step, an engine a column. */
const EngineSteps = ({ store, report, cursor }: { store: Store; report: EngineReport; cursor: number }) => (
  <Table
    heads={["step", "token", "differ", ...report.engines.map(({ name }) => `#${name} allows`)]}
    label="Masks of the engines, a row a step"
  >
    {report.groups.map((_, step) => (
      <tr key={step} class={step === cursor ? "is-selected" : ""} data-step={step}>
        <th scope="row">
          <button type="button" class="link" onClick={() => store.goTo(step)}>
            {step}
          </button>
        </th>
        <td>
          {report.tape[step] === undefined ? <span class="faint">end</span> : <Token text={report.tape[step][1]} />}
        </td>
        <td class={differsAt(report, step) ? "bad" : "faint"}>{differsAt(report, step) ? "yes" : "no"}</td>
        {report.engines.map((one, k) => {
          const mark = markOf(report, step, k);
          return (
            <td key={one.name} class={mark === "differs" || mark === "refuses" ? "num bad" : "num"}>
              {mark === "refuses" && "refuses, "}
              {mark === "none" ? "–" : int(one.n_allowed[step] ?? 0)}
            </td>
          );
        })}
      </tr>
    ))}
  </Table>
);

interface EnginesProps {
  store: Store;
  report: EngineReport;
  width: number;
  grid: string;
  room: number;
  table: boolean;
  solo: Signal<number | null>;
}
export function Engines({ store, report, width, grid, room, table, solo }: EnginesProps) {
  const cursor = Math.min(store.step.value?.index ?? 0, report.n_steps - 1);
  const chosen = useSignal<Pair | null>(null);
  const isThere = chosen.value?.every((k) => k < report.engines.length); // a newer report may have fewer engines
  const pair = (isThere && chosen.value) || pairFor(report);
  const choose = (two: Pair) => {
    chosen.value = two;
  };
  const place = (name: string) => report.engines.findIndex((one) => one.name === name);
  const nDiffer = report.groups.filter((_, step) => differsAt(report, step)).length;
  const hasMasks = report.engines.some(({ n_allowed }) => n_allowed.length > 0);
  return (
    <>
      <div class="body">
        <Agreement report={report} />
        {report.disagreements.map((one) => (
          <Parting
            key={`${one.b} ${one.step}`}
            report={report}
            one={one}
            show={() => {
              choose([place(one.a), place(one.b)]);
              store.goTo(one.step);
            }}
          />
        ))}
        {hasMasks &&
          (table ? (
            <EngineSteps store={store} report={report} cursor={cursor} />
          ) : (
            <>
              <EngineTape store={store} report={report} cursor={cursor} width={width - 32} />
              <EngineKey report={report} />
              <p class="s dim" data-told>
                {told(report, cursor)}
              </p>
            </>
          ))}
        {nDiffer > 0 && (
          <p class="xs faint">
            masks differ at {int(nDiffer)} of {plural(report.n_steps, "step")}
          </p>
        )}
      </div>
      <div class="body engine-part">
        <EngineTimes report={report} isWide={width >= 960} />
      </div>
      {!report.is_running && hasMasks && report.engines.length > 1 && (
        <div class={`compare-grid ${grid}`}>
          <Overlay store={store} report={report} step={cursor} pair={pair} choose={choose} room={room} solo={solo} />
        </div>
      )}
    </>
  );
}
