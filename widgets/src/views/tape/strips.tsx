// The small multiples below a column of the tape: lost mass, allowed tokens, mask time, model time, cache class.

import { isAllowed } from "../../bulk";
import { v } from "../../parts/colour";
import { CLASS_SHAPES, Mark } from "../../parts/glyphs";
import { micros, millis, prob, short, visible, zLevel } from "../../text";
import type { Step } from "../../wire";
import { type Column, countHeight, logHeight } from "./layout";

/** Tops and heights of the strips; a strip that has no room has height 0. */
export interface Lanes {
  /** the row of byte offsets, with a tick a byte above it */
  hasBytes: boolean;
  z: number;
  zHeight: number;
  allowed: number;
  allowedHeight: number;
  /** the count of allowed tokens stands below its bar */
  hasCounts: boolean;
  mask: number;
  maskHeight: number;
  model: number;
  modelHeight: number;
  cache: number;
  height: number;
}
const CACHE = 20;
/** Where what was rolled back hangs. */
const LANE = 26;

const whole = (top: number): Lanes => {
  const z = top;
  const allowed = z + 44 + 12;
  const mask = allowed + 26 + 26;
  const model = mask + 44 + 12;
  const cache = model + 16 + 8;
  const heights = { zHeight: 44, allowedHeight: 26, maskHeight: 44, modelHeight: 16 };
  return { hasBytes: true, hasCounts: true, z, allowed, mask, model, cache, ...heights, height: cache + CACHE + 4 };
};
/** Without byte offsets; times only where there is room for both. */
const briefly = (top: number, hasTimes: boolean): Lanes => {
  const z = top;
  const allowed = z + 20 + 8;
  const mask = allowed + 14 + 20;
  const model = mask + (hasTimes ? 24 + 8 : 0);
  const cache = model + (hasTimes ? 16 + 4 : -2);
  const heights = { zHeight: 20, allowedHeight: 14, maskHeight: hasTimes ? 24 : 0, modelHeight: hasTimes ? 16 : 0 };
  return { hasBytes: false, hasCounts: true, z, allowed, mask, model, cache, ...heights, height: cache + CACHE };
};
/** The least that a tape shows. */
const least = (top: number): Lanes => {
  const allowed = top + 20 + 6;
  const cache = allowed + 14 + 2;
  const heights = { zHeight: 20, allowedHeight: 14, maskHeight: 0, modelHeight: 0 };
  return {
    ...briefly(top, false),
    hasCounts: false,
    allowed,
    mask: cache,
    model: cache,
    cache,
    ...heights,
    height: cache + CACHE,
  };
};
/** The strips that fit into `room` pixels, null: all; the branch lane takes room only when something was rolled back. */
export function lanes(withBranches: boolean, room: number | null = null): Lanes {
  const more = withBranches ? LANE : 0;
  const all = whole(76 + more);
  if (room === null || room >= all.height) return all;
  const times = briefly(46 + more, true);
  if (room >= times.height) return times;
  const known = briefly(46 + more, false);
  return room >= known.height ? known : least(46 + more);
}

export function Strips({ step, col, at, on, size }: { step: Step; col: Column; at: Lanes; on: boolean; size: number }) {
  const mid = col.x + col.width / 2;
  if (step.n_allowed === null)
    return <path d={`M${col.x} ${at.z + 0.5}h${col.width}`} stroke={v("jump")} stroke-dasharray="1 3" />;
  const z = step.z;
  const lost = (1 - (z ?? 1)) * at.zHeight;
  const level = zLevel(z ?? 1);
  const us = step.mask_us ?? 0;
  const bar = logHeight(us, at.maskHeight - (at.maskHeight > 30 ? 14 : 8));
  // the figure of Z stands in its bar where that is high enough
  const isInside = lost > 26;
  const isLow = at.zHeight < 30;
  const count = countHeight(step.n_allowed, size, at.allowedHeight);
  return (
    <g>
      {z !== null && (
        <g>
          {lost > 0.4 && (
            <rect x={col.x + 3} y={at.z} width={col.width - 6} height={Math.max(1, lost)} fill={v(`z-${level}`)} />
          )}
          <path d={`M${col.x + 3} ${at.z + lost}h${col.width - 6}`} stroke={v("ink-2")} stroke-width="1.2" />
          {z < 0.9 && (
            <text
              class="strong"
              x={mid}
              y={isInside ? at.z + lost - 5 : at.z + (isLow ? Math.min(lost, 8) : lost) + (isLow ? 11 : 13)}
              text-anchor="middle"
              style={{ fill: v(!isInside && !(isLow && lost > 8) ? "ink" : level === 2 ? "on-z-2" : "paper") }}
            >
              {z.toFixed(3)}
            </text>
          )}
          {level >= 3 && !isLow && (
            <text class="strong mid" x={mid} y={at.z + 15} style={{ fill: v("paper"), fontSize: "12px" }}>
              {level === 3 ? "!" : "!!"}
            </text>
          )}
        </g>
      )}
      <rect x={mid - 13} y={at.allowed} width="26" height={at.allowedHeight} fill={v("mark-wash")} />
      <rect x={mid - 13} y={at.allowed + at.allowedHeight - count} width="26" height={count} fill={v("teal")} />
      {at.hasCounts && (
        <text class={on ? "ink" : ""} x={mid} y={at.allowed + at.allowedHeight + 14} text-anchor="middle">
          {short(step.n_allowed)}
        </text>
      )}
      {step.mask_us !== null && at.maskHeight > 0 && (
        <g>
          <rect x={mid - 5} y={at.mask + at.maskHeight - bar} width="10" height={bar} fill={v("blue")} />
          {(on || us >= 1000) && (
            <text class="ink mid" x={mid} y={at.mask + at.maskHeight - bar - 4}>
              {us >= 1000 ? micros(us) : micros(us).replace(" µs", "")}
            </text>
          )}
        </g>
      )}
      {step.model_ms !== null && at.modelHeight > 0 && (
        <g>
          <rect x={col.x + 3} y={at.model} width={col.width - 6} height={at.modelHeight} fill={v("mark-wash")} />
          <text class="ink-2 mid" x={mid} y={at.model + 12}>
            {millis(step.model_ms)}
          </text>
        </g>
      )}
      {step.cache && <Mark shape={step.cache} x={mid} y={at.cache + 10} />}
    </g>
  );
}

const WANTED_WIDTH = 110;
/** What the model wanted instead, next to the bar that shows what was lost; where bars that are red themselves stand there, not at all. */
export function Wanted({
  steps,
  cursor,
  columns,
  at,
  width,
}: {
  steps: readonly Step[];
  cursor: number;
  columns: readonly Column[];
  at: Lanes;
  width: number;
}) {
  const [step, col] = [steps[cursor], columns.find((c) => c.index === cursor)];
  const blocked = step?.top.find(([, , p, , code]) => code !== null && !isAllowed(code) && (p ?? 0) > 0.25);
  if (!step || !col || !blocked || (step.z ?? 1) >= 0.9 || at.zHeight < 30) return null;
  const [, text, p, , code] = blocked;
  const x = col.x + col.width + 7;
  const y = at.z + 24;
  const under = columns.filter((c) => c.index > cursor && c.x < x + WANTED_WIDTH);
  if (x + WANTED_WIDTH > width || under.some((c) => (steps[c.index]?.z ?? 1) < 0.7)) return null;
  return (
    <g class="haloed">
      <Mark shape={CLASS_SHAPES[code ?? 0] ?? "rejected"} x={x + 6} y={y - 4} />
      <text x={x + 17} y={y}>
        <tspan class="mono ink s12">{[...visible(text)].slice(0, 10).join("")}</tspan>
        <tspan class="ink" dx="6">
          {prob(p ?? 0)}
        </tspan>
      </text>
      <text x={x + 17} y={y + 14}>
        wanted, blocked
      </text>
    </g>
  );
}
