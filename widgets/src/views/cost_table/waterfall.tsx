// Compile passes one after the other, and which rule paid for which step: the two drawings of the cost table.

import { v } from "../../parts/colour";
import { StepSlider } from "../../parts/step_slider";
import type { Store } from "../../store";
import { micros, plural } from "../../text";
import type { PassCost, RuleCost } from "../../wire";
import { columns, decades, place, ticks } from "../compare/layout/compare";
import { axis, type StepCost } from "./layout";

const [NAMES, ROW, TOP, AFTER] = [176, 22, 18, 64];
/** what was changed stands at the right where there is room for it, else under the pass's name */
const [CHANGES, ROOMY, TALL] = [148, 440, 34];
const INDENT = 14;

/** A pass's name as words. */
export const words = (name: string): string => name.replaceAll("_", " ");

/** The parts of a pass are indented and lighter: their time is in that pass's bar already. */
export function Waterfall({ passes, us: total, width }: { passes: readonly PassCost[]; us: number; width: number }) {
  const changes = passes.map((pass) => pass.change_in_short);
  const roomy = width >= ROOMY;
  const right = roomy ? CHANGES : 0;
  const high = passes.map((_, k) => (roomy || !changes[k] ? ROW : TALL));
  const top = high.map((_, k) => high.slice(0, k).reduce((all, one) => all + one, TOP));
  const x = (us: number) => NAMES + (us / Math.max(total, 1e-9)) * Math.max(40, width - NAMES - AFTER - right);
  const height = high.reduce((all, one) => all + one, TOP) + 2;
  const said = passes.map(
    (pass, k) =>
      `${pass.inside ? "in it " : ""}${words(pass.name)} ${micros(pass.us)}${changes[k] ? `, ${pass.change}` : ""}`,
  );
  return (
    <svg class="waterfall" width={width} height={height} role="img" aria-label={`Compile passes: ${said.join("; ")}`}>
      {axis(total, Math.max(1, Math.floor((width - NAMES - AFTER - right) / 56))).map((us) => (
        <g key={us}>
          <path d={`M${Math.round(x(us)) + 0.5} ${TOP - 4}V${height}`} stroke={v("rule")} />
          <text x={x(us)} y={10} text-anchor={us === 0 ? "start" : "middle"} class="faint">
            {us === 0 ? "0" : micros(us)}
          </text>
        </g>
      ))}
      {passes.map((pass, k) => {
        const y = top[k] as number;
        const end = x(pass.begin_us + pass.us);
        return (
          <g key={`${pass.name}${k}`} data-pass={pass.name} data-inside={pass.inside ?? undefined}>
            <text x={NAMES - 12} y={y + 15} text-anchor="end" class={pass.inside ? "part" : "name"}>
              {words(pass.name)}
            </text>
            {pass.inside && (
              <path
                d={`M${NAMES - 5.5} ${(top[k - 1] as number) + (passes[k - 1]?.inside ? 11 : 17)}V${y + 11}h${INDENT / 2 - 3}`}
                stroke={v("rule-strong")}
                fill="none"
              />
            )}
            <rect
              x={x(pass.begin_us)}
              y={y + (pass.inside ? 7 : 5)}
              width={Math.max(1.5, end - x(pass.begin_us))}
              height={pass.inside ? 8 : 12}
              fill={v(pass.inside ? "blue-wash" : "blue")}
              stroke={pass.inside ? v("blue") : undefined}
            />
            <text x={end + 6} y={y + 15} class="value">
              {micros(pass.us)}
            </text>
            {changes[k] && (
              <text
                x={roomy ? width - CHANGES + 8 : NAMES - 12}
                y={roomy ? y + 15 : y + 28}
                text-anchor={roomy ? "start" : "end"}
                class="change"
                data-change
              >
                <title>
                  {pass.change}
                  {pass.machines && `, of ${plural(pass.machines, "machine")} one after the other`}
                </title>
                {changes[k]}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

const [LANE, GUTTER] = [26, 148];
export const MOST_LANES = 8;
const COLOURS: Record<string, string> = { miss: "miss", partial_hit: "hit-partial" };

/** Rules down, steps across, bars in log µs; red: a miss, amber: a partial hit. The dearest rules have a lane. */
export function RuleLanes({
  store,
  all,
  steps,
  width,
  cursor,
  n,
}: {
  store: Store;
  all: readonly RuleCost[];
  steps: readonly StepCost[];
  width: number;
  cursor: number;
  n: number;
}) {
  const rules = all.slice(0, MOST_LANES);
  const { per, step: cw, n: cells } = columns(n, width - GUTTER);
  const scale = decades(steps.map((step) => step.us));
  const height = rules.length * LANE + 18;
  const x = (k: number) => GUTTER + k * cw;
  const here = steps.find((step) => step.step === cursor);
  const lanes = rules.map((rule) => {
    const cell = new Map<number, StepCost>(); // of several steps the dearest
    for (const step of steps) {
      if (step.rule !== rule.rule) continue;
      const k = Math.floor(step.step / per);
      if ((cell.get(k)?.us ?? -1) < step.us) cell.set(k, step);
    }
    return cell;
  });
  const text = here
    ? `Step ${cursor}: mask ${micros(here.us)}, ${(here.cache ?? "no mask").replace("_", " ")}, in ${rules.find((r) => r.rule === here.rule)?.name ?? "another rule"}`
    : `Step ${cursor}`;
  return (
    <StepSlider
      store={store}
      n={n}
      cursor={cursor}
      label="Mask time by rule and step"
      text={text}
      cls="rule-lanes"
      at={(px) => (px < GUTTER ? null : Math.min(n - 1, Math.floor((px - GUTTER) / cw) * per))}
    >
      <svg width={Math.min(width, x(cells) + 2)} height={height} aria-hidden="true">
        <rect x={x(Math.floor(cursor / per))} y={0} width={Math.max(2, cw)} height={height - 18} fill={v("select")} />
        {rules.map((rule, lane) => (
          <g key={rule.rule} data-lane={rule.name}>
            <foreignObject x={0} y={lane * LANE + 4} width={GUTTER - 12} height={LANE - 4}>
              <div class="lane-name mono s" title={rule.name}>
                {rule.name}
              </div>
            </foreignObject>
            <path d={`M${GUTTER} ${lane * LANE + LANE - 0.5}H${x(cells)}`} stroke={v("rule")} />
            {[...(lanes[lane] ?? [])].map(([k, step]) => {
              const tall = Math.max(2, place(step.us, scale) * (LANE - 5));
              return (
                <rect
                  key={k}
                  x={x(k) + (cw > 4 ? 1 : 0)}
                  y={lane * LANE + LANE - 1 - tall}
                  width={Math.max(1, cw - (cw > 4 ? 2 : 0))}
                  height={tall}
                  fill={v(COLOURS[step.cache ?? ""] ?? "blue")}
                />
              );
            })}
          </g>
        ))}
        {ticks(cells).map((k) => (
          <text key={k} x={x(k) + cw / 2} y={height - 4} text-anchor="middle" class="faint">
            {k * per}
          </text>
        ))}
      </svg>
    </StepSlider>
  );
}
