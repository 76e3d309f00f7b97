// What a comparison says in figures: the tokens that differ, the cost of both, and the steps as a table.

import { v } from "../../parts/colour";
import { Glyph } from "../../parts/glyphs";
import { Token } from "../../parts/small";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { bytes, int, micros, plural, prob } from "../../text";
import type { CompareReport, Phase, Side } from "../../wire";
import { lean } from "./layout/compare";

const PHASES: readonly [Phase, string, string][] = [
  ["first", "cold", "the grammar was just compiled: no mask was known"],
  ["shared", "cold, pool kept", "compiled once more: the pool has the entries of equal rules"],
  ["warm", "warm", "every state has been visited"],
];
/** Two digits, and no powers of ten. */
export const percent = (part: number): string =>
  `${part >= 0.0995 ? Math.round(100 * part) : Number((100 * part).toPrecision(2))} %`;

export const PHASE_NAMES = PHASES.map(([phase, name]) => [phase, name] as const);

const Yes = ({ is }: { is: boolean }) => (
  <>
    <Glyph shape={is ? "yes" : "no"} size={10} />
    <span class="unseen">{is ? "yes" : "no"}</span>
  </>
);

/** A token that one side alone allows: id, text, p, whether it is A's, and what both accept. */
export type DifferingRow = readonly [number, string, number | null, boolean, boolean?, boolean?];
interface DifferingProps {
  store: Store;
  unit: "token" | "byte";
  step: number;
  rows: readonly DifferingRow[];
  /** how many there are */
  n: number;
  /** whether `accept` of both is told */
  asks?: boolean;
}
/** Tokens that one of two masks alone allows. */
export function DifferingTable({ store, unit, step, rows, n, asks }: DifferingProps) {
  const selected = store.selection.value.token;
  return (
    <>
      <h3 class="xs faint">
        mask XOR at step {step}: {plural(n, unit)}
      </h3>
      <Table
        heads={[unit, "#id", "#p", "A", "B", ...(asks ? ["accept A", "accept B"] : [])]}
        label={`${unit}s that differ`}
        cls="differing"
      >
        {rows.slice(0, 40).map(([id, text, p, inA, takenA, takenB]) => (
          <tr key={id} class={selected === id ? "is-selected" : ""} data-token={id}>
            <th scope="row">
              {unit === "byte" ? (
                <span class="mono s">{text}</span>
              ) : (
                <button
                  type="button"
                  class="link"
                  title="Select it to see A's reason in the why card"
                  onClick={() => store.select({ step, token: id })}
                >
                  <Token text={text} />
                </button>
              )}
            </th>
            <td class="num faint">{id}</td>
            <td class="num">{p === null ? "–" : prob(p)}</td>
            <td>
              <Yes is={inA} />
            </td>
            <td>
              <Yes is={!inA} />
            </td>
            {asks && (
              <>
                <td>
                  <Yes is={takenA === true} />
                </td>
                <td>
                  <Yes is={takenB === true} />
                </td>
              </>
            )}
          </tr>
        ))}
      </Table>
      {n > rows.length && <p class="xs faint">{int(n - rows.length)} more are in data()</p>}
    </>
  );
}

/** The tokens that one side alone allows, at the step under the cursor if it differs, else where they part. */
export function Differing({ store, report, cursor }: { store: Store; report: CompareReport; cursor: number }) {
  const first = report.divergence;
  const here = report.differences.find(([step]) => step === cursor) ?? report.differences[0];
  if (!here || !first) return null;
  const [step, onlyA, onlyB, idsA, idsB] = here;
  const vocabulary = store.link.vocabulary.value;
  const name = (id: number) =>
    report.unit === "byte" ? id.toString(16).toUpperCase().padStart(2, "0") : (vocabulary?.text(id) ?? String(id));
  const top = store.link.trace.value?.steps[step]?.top ?? [];
  const p = (id: number) => (report.unit === "byte" ? null : (top.find(([token]) => token === id)?.[2] ?? null));
  const isFirst = step === first.step && first.listed.length > 0;
  const asks = isFirst && report.must_agree; // one of them is wrong: accept_token says which
  const rows: readonly DifferingRow[] = isFirst
    ? first.listed
    : [
        ...idsA.map((id) => [id, name(id), p(id), true] as const),
        ...idsB.map((id) => [id, name(id), p(id), false] as const),
      ];
  const what = report.unit;
  return (
    <div class="body">
      <DifferingTable store={store} unit={what} step={step} rows={rows} n={onlyA + onlyB} asks={asks} />
      {first.mass !== null && step === first.step && (
        <p class="s dim">
          {plural(onlyA + onlyB, what)} of {int(report.a.vocab_size)}, {percent(first.mass)} of what the model wanted.
        </p>
      )}
      {isFirst &&
        [first.reason_a && `A: ${first.reason_a}`, first.reason_b && `B: ${first.reason_b}`]
          .filter(Boolean)
          .map((said) => (
            <p key={said} class="s dim">
              {said}
            </p>
          ))}
    </div>
  );
}

const sum = (us: readonly number[]): number => us.reduce((all, one) => all + one, 0);
function median(us: readonly number[]): number {
  const sorted = [...us].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? (sorted[half] as number) : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

type Spread = [least: number, greatest: number] | null;
/** Whether the rounds say the same: all that B takes more, or all that it takes less. What is counted needs no rounds. */
const isSure = (spread: Spread): boolean => !spread || spread[0] > 1 || spread[1] < 1;

/** A ratio as a bar on a log scale, amber to the right (B takes more), teal to the left; grey where rounds disagree. */
const Ratio = ({ of, spread }: { of: number; spread: Spread }) => {
  const w = lean(of) * 50;
  const colour = !isSure(spread) ? "mark" : of > 1 ? "amber" : "teal";
  return (
    <svg width="104" height="12" aria-hidden="true">
      <path d="M52.5 0V12" stroke={v("rule-strong")} />
      {of !== 1 && <rect x={w < 0 ? 52 + w : 52} y={2} width={Math.max(1, Math.abs(w))} height={8} fill={v(colour)} />}
      {spread && <path d={`M${52 + lean(spread[0]) * 50} 6.5H${52 + lean(spread[1]) * 50}`} stroke={v("ink-2")} />}
    </svg>
  );
};

type Row = [name: string, title: string, a: string, b: string, ratio: number | null, spread: Spread];
function costs({ a, b, ratios, total_ratios: totals, spreads, total_spreads: totalSpreads }: CompareReport): Row[] {
  const row = (
    name: string,
    title: string,
    of: (side: Side) => number | null,
    say: (n: number) => string,
    spread: Spread = null,
  ): Row => {
    const [x, y] = [of(a), of(b)];
    const ratio = x && y !== null ? y / x : null;
    return [name, title, x === null ? "–" : say(x), y === null ? "–" : say(y), ratio, spread];
  };
  const compiling = "all of compiling, with entries built ahead";
  const rows = [row("compile", compiling, (side) => side.compile_us, micros, spreads.compile)];
  for (const [phase, name, title] of PHASES) {
    const [x, y] = [a.us[phase], b.us[phase]];
    if (x.length === 0 || y.length === 0) continue;
    rows.push([`median, ${name}`, title, micros(median(x)), micros(median(y)), ratios[phase], spreads[phase]]);
    rows.push([`all, ${name}`, title, micros(sum(x)), micros(sum(y)), totals[phase], totalSpreads[phase]]);
  }
  rows.push(row("states", "of all rules together", (side) => side.n_states || null, int));
  rows.push(row("entries", "mask entries that were built", (side) => side.n_entries, int));
  rows.push(row("memory", "with the masks of this text", (side) => side.memory_bytes || null, bytes));
  return rows;
}

export const Costs = ({ report }: { report: CompareReport }) => (
  <div class="body">
    <h3 class="xs faint">cost{report.unit === "byte" && ", each on its own tokens"}</h3>
    <Table
      heads={["(figure)", "#A", "#B", "B / A, log", "(ratio)"]}
      label="Cost of A and B"
      cls="compare-costs"
      more={
        <p class="xs faint">thin line: least and greatest of the rounds; grey: they disagree on who takes longer</p>
      }
    >
      {costs(report).map(([name, title, a, b, ratio, spread]) => (
        <tr key={name} data-cost={name}>
          <th scope="row" title={title}>
            {name}
          </th>
          <td class="num">{a}</td>
          <td class="num">{b}</td>
          <td class="mid">{ratio !== null && <Ratio of={ratio} spread={spread} />}</td>
          <td
            class={isSure(spread) ? "num" : "num faint"}
            title={spread ? `${spread[0].toFixed(2)} to ${spread[1].toFixed(2)} by round` : ""}
          >
            {ratio === null ? "" : ratio.toFixed(2)}
          </td>
        </tr>
      ))}
    </Table>
  </div>
);
