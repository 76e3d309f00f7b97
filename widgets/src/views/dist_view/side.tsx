// Where the lost mass went, Z over the run, and the step's figures.

import { v } from "../../parts/colour";
import { Token } from "../../parts/small";
import { StepSlider } from "../../parts/step_slider";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { int, plural, prob, zLevel } from "../../text";
import type { LostMass, Step, Trace } from "../../wire";
import { decadesOfZ, type WhatIf } from "./layout/dist";

const entropyText = (nats: number): string => nats.toPrecision(3);

/** A row a place of the grammar that refused tokens; a click selects its rule and the token it cost most. */
export function LostTable({ store, lost }: { store: Store; lost: LostMass }) {
  const selected = store.selection.value;
  const max = Math.max(lost.rest, ...lost.groups.map((group) => group.mass), 1e-9);
  if (lost.total < 5e-5)
    return <p class="dim s lost-none">Almost nothing: the mask removes less than 0.0001 of the model's probability.</p>;
  return (
    <Table
      heads={["blocked by", "(place)", "(mass as a bar)", "#mass", "#tokens", "expected"]}
      cls="lost-table"
      label="Lost mass by rule"
    >
      {lost.groups.map((group) => {
        const on = group.rule !== null && selected.rule === group.rule && selected.token === group.token_ids[0];
        return (
          <tr
            key={`${group.name} ${group.line}:${group.column}`}
            class={on ? "is-selected" : ""}
            data-lost={group.name}
          >
            <th scope="row">
              <button
                type="button"
                class="link mono s"
                title={`${plural(group.token_ids.length, "token")}; show the rule and the token it cost most`}
                onClick={() => store.select({ rule: group.rule, token: group.token_ids[0] ?? null })}
              >
                {group.name}
              </button>
            </th>
            <td class="faint xs">{group.line === null ? "" : `${group.line}:${group.column}`}</td>
            <td class="bar-cell">
              <i class="p lost" style={{ width: `${(group.mass / max) * 100}%` }} />
            </td>
            <td class="num">{prob(group.mass)}</td>
            <td class="num faint">{int(group.token_ids.length)}</td>
            <td class="dim s expected">{group.expected && <code>{group.expected}</code>}</td>
          </tr>
        );
      })}
      {lost.n_rest > 0 && (
        <tr>
          <th scope="row" class="faint">
            rest
          </th>
          <td />
          <td class="bar-cell">
            <i class="p" style={{ width: `${(lost.rest / max) * 100}%` }} />
          </td>
          <td class="num">{prob(lost.rest)}</td>
          <td class="num faint">{int(lost.n_rest)}</td>
          <td class="faint s expected">without an explanation</td>
        </tr>
      )}
    </Table>
  );
}

const [H, LEFT] = [84, 40];
/** Z of every step on a log axis that is one for the run; the lowest and the cursor are marked. */
export function RunOfZ({
  store,
  trace,
  width,
  lowest,
}: {
  store: Store;
  trace: Trace;
  width: number;
  lowest: number | null;
}) {
  const { steps } = trace;
  const cursor = store.step.value?.index ?? 0;
  const decades = decadesOfZ(steps);
  const room = Math.max(1, width - LEFT - 8);
  const cell = Math.min(24, room / steps.length);
  const x = (index: number) => LEFT + (index + 0.5) * cell;
  const y = (z: number) => 6 + Math.min(1, z > 0 ? -Math.log10(z) / decades : 1) * (H - 6);
  const path = steps.map(({ z, index }) => {
    if (z === null) return "";
    const from = index > 0 && (steps[index - 1]?.z ?? null) !== null ? "V" : `M${x(index) - cell / 2} `;
    return `${from}${y(z).toFixed(1)}H${(x(index) + cell / 2).toFixed(1)}`;
  });
  const marks = [...new Set([lowest, cursor])].filter((index) => index !== null && (steps[index]?.z ?? null) !== null);
  return (
    <StepSlider
      store={store}
      n={steps.length}
      cursor={cursor}
      cls="run-of-z"
      label="Z over the run, log scale: cursor"
      text={`step ${cursor}, Z ${steps[cursor]?.z == null ? "not known" : prob(steps[cursor]?.z as number)}`}
      at={(px) => Math.floor((px - LEFT) / cell)}
    >
      <svg width={width} height={H + 20} aria-hidden="true">
        {Array.from({ length: decades + 1 }, (_, d) => (
          <g key={d}>
            <path d={`M${LEFT} ${y(10 ** -d) + 0.5}H${LEFT + room}`} stroke={v("rule")} />
            {(decades <= 3 || d % 2 === 0 || d === decades) && (
              <text class="end" x={LEFT - 6} y={y(10 ** -d) + 4}>
                {d === 0 ? "1" : d < 4 ? (10 ** -d).toFixed(d) : prob(10 ** -d).slice(2)}
              </text>
            )}
          </g>
        ))}
        <rect x={x(cursor) - cell / 2} y="0" width={cell} height={H + 2} fill={v("select")} opacity="0.7" />
        <path d={path.join("")} stroke={v("ink-2")} stroke-width="1.4" fill="none" />
        {marks.map((index) => {
          const z = steps[index as number]?.z as number;
          const end = x(index as number) > LEFT + room - 48;
          return (
            <g key={index}>
              <circle
                cx={x(index as number)}
                cy={y(z)}
                r={index === cursor ? 5 : 3.5}
                fill={v(index === cursor ? "select" : `z-${zLevel(z)}`)}
                stroke={v(index === cursor ? "select-line" : `z-${zLevel(z)}`)}
                stroke-width="1.5"
              />
              <text
                class={end ? "ink haloed end" : "ink haloed"}
                x={x(index as number) + (end ? -9 : 9)}
                y={Math.min(H - 2, y(z) + (y(z) < 14 ? 14 : 4))}
              >
                {prob(z)}
              </text>
            </g>
          );
        })}
        <text x={LEFT} y={H + 16}>
          step 0
        </text>
        {steps.length > 3 && (
          <text class="end" x={LEFT + cell * steps.length} y={H + 16}>
            {steps.length - 1}
          </text>
        )}
      </svg>
    </StepSlider>
  );
}

export function StepFacts({ step, now, size }: { step: Step; now: WhatIf | null; size: number }) {
  return (
    <dl class="facts-list">
      {step.token_id !== null && (
        <>
          <dt>{step.kind === "forced_by_user" ? "forced" : "chosen"}</dt>
          <dd>
            <Token text={step.text} /> p {prob(step.p ?? 0)}, q {prob(step.q ?? 0)}
          </dd>
          <dt>rank before</dt>
          <dd>
            {step.rank === null ? "not known" : int(step.rank)} of {int(size)}
          </dd>
        </>
      )}
      <dt>KL(q‖p)</dt>
      <dd>
        {step.kl === null ? "not finite" : `${step.kl < 0.0005 ? prob(step.kl) : step.kl.toPrecision(3)} nats = −ln Z`}
      </dd>
      {now && (
        <>
          <dt>entropy</dt>
          <dd>
            p {entropyText(now.entropy.p)}, q {entropyText(now.entropy.q)} nats
          </dd>
        </>
      )}
    </dl>
  );
}
