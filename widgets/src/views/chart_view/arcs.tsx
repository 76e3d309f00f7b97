// How items came to be, drawn; and the column in which a candidate dies.

import { v } from "../../parts/colour";
import { Mark } from "../../parts/glyphs";
import { COMPLETE, PREDICT, SCAN } from "../../wire";
import type { Placed } from "./layout/chart";
import type { Placement } from "./parts";

export const arrow = "url(#xg-arrow)";

/** How an item came to be: predict dashed down its column, scan solid from the column before, complete double and back to the origin. */
export function Arc({
  to,
  source,
  child,
  op,
  floor,
  gutter,
}: {
  to: Placement;
  source: Placement | undefined;
  child: Placement | undefined;
  op: number;
  floor: number;
  gutter: number;
}) {
  const y = to.y + 11;
  if (op === PREDICT) {
    if (!source) return null;
    const x = to.x + 1;
    return (
      <path
        d={`M${source.x + 4} ${source.y + 11}H${x - 3}V${y}H${x + 2}`}
        fill="none"
        stroke={v("predict")}
        stroke-width="1.4"
        stroke-dasharray="3 2.5"
        marker-end={arrow}
      />
    );
  }
  if (op === SCAN) {
    const x0 = source ? source.x + source.w : gutter;
    return (
      <path
        d={`M${x0 - 6} ${source ? source.y + 11 : y}C${to.x - 2} ${source ? source.y + 11 : y} ${x0} ${y} ${to.x + 3} ${y}`}
        fill="none"
        stroke={v("scan")}
        stroke-width="1.6"
        marker-end={arrow}
      />
    );
  }
  if (op !== COMPLETE) return null;
  const x1 = to.x + (child ? 10 : 14);
  const x0 = source ? source.x + 18 : gutter + 4;
  const down = `M${(child ? child.x : to.x) + 16} ${(child ? child.y : to.y) + 20}V${floor - 6}q0 6 -6 6H${x0 + 6}q-6 0 -6 -6V${source ? source.y + 24 : floor - 20}`;
  return (
    <g fill="none">
      <path d={down} stroke={v("complete")} stroke-width="3.2" />
      <path d={down} stroke={v("paper")} stroke-width="1.1" />
      {child && (
        <path
          d={`M${x1} ${child.y + 4}V${to.y + (to.y < child.y ? 24 : 2)}`}
          stroke={v("complete")}
          stroke-width="1.6"
          marker-end={arrow}
        />
      )}
    </g>
  );
}

export function Dead({
  placed,
  top,
  bottom,
  expected,
}: {
  placed: Placed;
  top: number;
  bottom: number;
  expected: string;
}) {
  const x = placed.x + placed.width / 2;
  const y = Math.min(top + 26, (top + bottom) / 2);
  const text = [...expected].length > 13 ? `${[...expected].slice(0, 12).join("")}…` : expected;
  return (
    <g class="haloed">
      <Mark shape="no" x={x} y={y} size={16} />
      <text class="ink-2 mid" x={x} y={y + 25}>
        no item left
      </text>
      {text && (
        <text x={x} y={y + 42} class="mid">
          expected
        </text>
      )}
      <text class="mono ink strong mid" x={x} y={y + 57}>
        <title>{expected}</title>
        {text}
      </text>
    </g>
  );
}
