// The steps of a comparison on one line: a square for each mask (agrees, differs), the times of A and B under it, log µs.

import { v } from "../../parts/colour";
import { StepSlider } from "../../parts/step_slider";
import type { Store } from "../../store";
import { int, micros, visible } from "../../text";
import type { CompareReport, Phase } from "../../wire";
import { columns, decades, GUTTER, place, ticks } from "./layout/compare";

const [TOP, HEIGHT, AXIS] = [26, 84, 16];
interface StepsProps {
  store: Pick<Store, "goTo">;
  report: CompareReport;
  phase: Phase;
  width: number;
  cursor: number;
}

/** The worst of a column: that of the step with the greatest time. */
const worst = (us: readonly number[], from: number, per: number): number | undefined => {
  const some = us.slice(from, from + per);
  return some.length ? Math.max(...some) : undefined;
};

export function told(report: CompareReport, step: number, phase: Phase): string {
  const allowed = report.n_allowed[step];
  const differs = report.differences.find(([at]) => at === step);
  const [a, b] = [report.a.us[phase][step], report.b.us[phase][step]];
  const times = a === undefined || b === undefined ? "" : `; A ${micros(a)}, B ${micros(b)}`;
  const what = report.texts[step] === undefined ? "the end of the text" : `before ${visible(report.texts[step])}`;
  const says = !allowed
    ? "not compared"
    : differs
      ? `masks differ: ${int(differs[1])} only in A, ${int(differs[2])} only in B`
      : `masks agree, ${int(allowed[0])} allowed`;
  return `Step ${step}, ${what}: ${says}${report.unit === "byte" ? "" : times}`;
}

export function CompareSteps({ store, report, phase, width, cursor }: StepsProps) {
  const plot = width - GUTTER;
  const { per, step: cw, n } = columns(report.n_steps, plot);
  const differs = new Map(report.differences.map((d) => [d[0], d]));
  const sides = report.unit === "byte" ? [] : [report.a.us[phase], report.b.us[phase]];
  const scale = decades(sides.flat());
  const x = (k: number) => GUTTER + k * cw;
  const y = (us: number) => TOP + HEIGHT - place(us, scale) * HEIGHT;
  const timed = sides.some((us) => us.length > 0);
  const height = timed ? TOP + HEIGHT + AXIS : TOP + AXIS;
  const at = Math.floor(cursor / per);
  const size = Math.max(2, Math.min(12, cw - 2));
  return (
    <StepSlider
      store={store}
      n={report.n_steps}
      cursor={cursor}
      label="Masks and their times, step by step"
      text={told(report, cursor, phase)}
      cls="compare-steps"
      at={(px) => (px < GUTTER ? null : Math.min(report.n_steps - 1, Math.floor((px - GUTTER) / cw) * per))}
    >
      <svg width={width} height={height} aria-hidden="true">
        <rect x={x(at)} y={0} width={Math.max(2, cw)} height={height - AXIS} fill={v("select")} />
        <text x={GUTTER - 8} y={14} text-anchor="end">
          masks
        </text>
        {Array.from({ length: n }, (_, k) => {
          const [from, to] = [k * per, Math.min(report.n_done, (k + 1) * per)];
          if (from >= report.n_done)
            return <rect key={k} x={x(k)} y={9} width={size} height={1} fill={v("rule-strong")} />;
          const bad = Array.from({ length: to - from }, (_, i) => from + i).some((s) => differs.has(s));
          const left = x(k) + (cw - size) / 2;
          if (!bad)
            return (
              <g key={k}>
                <rect
                  x={left + 0.5}
                  y={10.5 - size / 2}
                  width={size - 1}
                  height={size - 1}
                  fill="none"
                  stroke={v("teal")}
                />
                {size > 6 && <rect x={left + size / 2 - 2} y={8} width={4} height={4} fill={v("teal")} />}
              </g>
            );
          return (
            <g key={k} data-differs={from}>
              <rect
                x={left}
                y={10 - size / 2}
                width={size}
                height={size}
                fill={v(report.must_agree ? "vermillion" : "amber")}
              />
              {size > 6 && (
                <path
                  d={`M${left + 3} 7l${size - 6} 6M${left + size - 3} 7l${6 - size} 6`}
                  stroke={v("paper")}
                  stroke-width="1.6"
                />
              )}
            </g>
          );
        })}
        {timed &&
          scale.map((us) => (
            <g key={us}>
              <path d={`M${GUTTER} ${Math.round(y(us)) + 0.5}H${width}`} stroke={v("rule")} />
              <text x={GUTTER - 8} y={y(us) + 4} text-anchor="end">
                {micros(us).replace(".0", "")}
              </text>
            </g>
          ))}
        {timed &&
          Array.from({ length: n }, (_, k) => {
            const [a, b] = sides.map((us) => worst(us, k * per, per));
            if (a === undefined || b === undefined) return null;
            const middle = x(k) + cw / 2;
            const r = Math.max(1.5, Math.min(3.2, cw / 2 - 1));
            return (
              <g key={k}>
                <path d={`M${middle} ${y(a)}V${y(b)}`} stroke={v("rule-strong")} />
                <circle cx={middle} cy={y(b)} r={r} fill={v("blue")} />
                <circle cx={middle} cy={y(a)} r={r} fill={v("paper")} stroke={v("ink-2")} stroke-width="1.2" />
              </g>
            );
          })}
        {ticks(n).map((k) => (
          <text key={k} x={x(k) + cw / 2} y={height - 3} text-anchor="middle">
            {k * per}
          </text>
        ))}
      </svg>
    </StepSlider>
  );
}

/** What ring and disc mean, in the drawing's own marks. */
export const Key = ({ report }: { report: CompareReport }) => (
  <p class="xs faint compare-key">
    <span>
      <svg width="10" height="10" aria-hidden="true">
        <circle cx="5" cy="5" r="3.2" fill={v("paper")} stroke={v("ink-2")} stroke-width="1.2" />
      </svg>{" "}
      A
    </span>
    <span>
      <svg width="10" height="10" aria-hidden="true">
        <circle cx="5" cy="5" r="3.2" fill={v("blue")} />
      </svg>{" "}
      B
    </span>
    <span>
      {report.rounds_done} of {report.n_rounds} rounds in turns; a mark is the median
    </span>
  </p>
);
