// Compile passes one after the other, and which rule paid for which step: the two drawings of the cost table.

import { columns, decades, place, ticks } from "../layout/compare";
import { axis, type Costs, type PassCost } from "../layout/costs";
import { v } from "../parts/colour";
import { StepSlider } from "../parts/step_slider";
import type { Store } from "../store";
import { micros } from "../text";

const [NAMES, ROW, TOP, AFTER] = [176, 22, 18, 64];

/** A pass's name as words. */
export const words = (name: string): string => name.replaceAll("_", " ");

export function Waterfall({ passes, width }: { passes: readonly PassCost[]; width: number }) {
  const total = passes.reduce((all, pass) => all + pass.us, 0);
  const x = (us: number) => NAMES + (us / Math.max(total, 1e-9)) * Math.max(40, width - NAMES - AFTER);
  const height = TOP + passes.length * ROW + 2;
  const said = passes.map((pass) => `${words(pass.name)} ${micros(pass.us)}`).join(", ");
  return (
    <svg class="waterfall" width={width} height={height} role="img" aria-label={`Compile passes: ${said}`}>
      {axis(total, Math.max(1, Math.floor((width - NAMES - AFTER) / 56))).map((us) => (
        <g key={us}>
          <path d={`M${Math.round(x(us)) + 0.5} ${TOP - 4}V${height}`} stroke={v("rule")} />
          <text x={x(us)} y={10} text-anchor={us === 0 ? "start" : "middle"} class="faint">
            {us === 0 ? "0" : micros(us)}
          </text>
        </g>
      ))}
      {passes.map((pass, k) => (
        <g key={`${pass.name}${k}`} data-pass={pass.name}>
          <text x={NAMES - 12} y={TOP + k * ROW + 15} text-anchor="end" class="name">
            {words(pass.name)}
          </text>
          <rect
            x={x(pass.begin)}
            y={TOP + k * ROW + 5}
            width={Math.max(1.5, x(pass.begin + pass.us) - x(pass.begin))}
            height={12}
            fill={v("blue")}
          />
          <text x={x(pass.begin + pass.us) + 6} y={TOP + k * ROW + 15} class="value">
            {micros(pass.us)}
          </text>
        </g>
      ))}
    </svg>
  );
}

const [LANE, GUTTER] = [26, 148];
export const MOST_LANES = 8;
const COLOURS: Record<string, string> = { miss: "miss", partial_hit: "hit-partial" };

/** Rules down, steps across, bars in log µs; red: a miss, amber: a partial hit. The dearest rules have a lane. */
export function RuleLanes({
  store,
  costs,
  width,
  cursor,
  n,
}: {
  store: Store;
  costs: Costs;
  width: number;
  cursor: number;
  n: number;
}) {
  const rules = costs.rules.slice(0, MOST_LANES);
  const { per, step: cw, n: cells } = columns(n, width - GUTTER);
  const scale = decades(costs.steps.map((step) => step.us));
  const height = rules.length * LANE + 18;
  const x = (k: number) => GUTTER + k * cw;
  const here = costs.steps.find((step) => step.step === cursor);
  const lanes = rules.map((rule) => {
    const cell = new Map<number, (typeof costs.steps)[number]>(); // of several steps the dearest
    for (const step of costs.steps) {
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
