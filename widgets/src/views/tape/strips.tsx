// The small multiples below a column of the tape: lost mass, allowed tokens, mask time, model time, cache class.

import { isAllowed } from "../../bulk";
import { v } from "../../parts/colour";
import { CLASS_SHAPES, Mark } from "../../parts/glyphs";
import { micros, millis, prob, short, visible, zLevel } from "../../text";
import type { Step } from "../../wire";
import { type Column, countHeight, logHeight } from "./layout";

export interface Lanes {
  z: number;
  allowed: number;
  mask: number;
  model: number;
  cache: number;
  height: number;
}
export const STRIP = { z: 44, allowed: 26, mask: 44, model: 16, cache: 20 };

function lanesFrom(top: number): Lanes {
  const z = top;
  const allowed = z + STRIP.z + 12;
  const mask = allowed + STRIP.allowed + 26;
  const model = mask + STRIP.mask + 12;
  const cache = model + STRIP.model + 8;
  return { z, allowed, mask, model, cache, height: cache + STRIP.cache + 4 };
}
const LANES = { alone: lanesFrom(76), branched: lanesFrom(76 + 26) };

/** Tops of the strips; the branch lane takes room only when something was rolled back. */
export const lanes = (withBranches: boolean): Lanes => (withBranches ? LANES.branched : LANES.alone);

export function Strips({ step, col, at, on, size }: { step: Step; col: Column; at: Lanes; on: boolean; size: number }) {
  const mid = col.x + col.width / 2;
  if (step.n_allowed === null)
    return <path d={`M${col.x} ${at.z + 0.5}h${col.width}`} stroke={v("jump")} stroke-dasharray="1 3" />;
  const z = step.z;
  const lost = (1 - (z ?? 1)) * STRIP.z;
  const level = zLevel(z ?? 1);
  const us = step.mask_us ?? 0;
  const bar = logHeight(us, STRIP.mask - 14);
  const count = countHeight(step.n_allowed, size, STRIP.allowed);
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
              y={lost > 26 ? at.z + lost - 5 : at.z + lost + 13}
              text-anchor="middle"
              style={{ fill: v(lost <= 26 ? "ink" : level === 2 ? "on-z-2" : "paper") }}
            >
              {z.toFixed(3)}
            </text>
          )}
          {level >= 3 && (
            <text class="strong mid" x={mid} y={at.z + 15} style={{ fill: v("paper"), fontSize: "12px" }}>
              {level === 3 ? "!" : "!!"}
            </text>
          )}
        </g>
      )}
      <rect x={mid - 13} y={at.allowed} width="26" height={STRIP.allowed} fill={v("mark-wash")} />
      <rect x={mid - 13} y={at.allowed + STRIP.allowed - count} width="26" height={count} fill={v("teal")} />
      <text class={on ? "ink" : ""} x={mid} y={at.allowed + STRIP.allowed + 14} text-anchor="middle">
        {short(step.n_allowed)}
      </text>
      {step.mask_us !== null && (
        <g>
          <rect x={mid - 5} y={at.mask + STRIP.mask - bar} width="10" height={bar} fill={v("blue")} />
          {(on || us >= 1000) && (
            <text class="ink mid" x={mid} y={at.mask + STRIP.mask - bar - 4}>
              {us >= 1000 ? micros(us) : micros(us).replace(" µs", "")}
            </text>
          )}
        </g>
      )}
      {step.model_ms !== null && (
        <g>
          <rect x={col.x + 3} y={at.model} width={col.width - 6} height={STRIP.model} fill={v("mark-wash")} />
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
  if (!step || !col || !blocked || (step.z ?? 1) >= 0.9) return null;
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
