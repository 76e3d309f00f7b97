// The lanes of the timeline: a path a row, the block of the step under the cursor, the axis of worked time.

import { v } from "../../parts/colour";
import { nanos } from "../../text";
import { type Block, barsPath, GUTTER, ROWS, type Row, timeTicks, type Window } from "./layout";

const TOP = 18;
const LANE = 30;
const BAR = 16;
const AXIS = TOP + ROWS.length * LANE + 2;
export const HEIGHT = AXIS + 20;
// grey is the model, blue the engine, warm is paid for
const COLOURS: Record<Row, string> = { model: "mark", mask: "blue", wait: "vermillion", apply: "ink-3" };
const top = (row: number) => TOP + row * LANE + (LANE - BAR) / 2;

/** The number of each step that has room for it, above its block. */
const Numbers = (props: { blocks: readonly Block[]; x: (ns: number) => number; width: number; cursor: number }) => {
  const { blocks, x, width, cursor } = props;
  let free = GUTTER;
  return (
    <g>
      {blocks.map(({ index, begin, end }) => {
        const middle = Math.min(width - 10, (Math.max(GUTTER, x(begin)) + Math.min(width, x(end))) / 2);
        if (middle - 12 < free && index !== cursor) return null;
        free = middle + 14;
        return (
          <text key={index} class={index === cursor ? "ink haloed" : ""} x={middle} y="12" text-anchor="middle">
            {index}
          </text>
        );
      })}
    </g>
  );
};

export function TimelineDrawing(props: { blocks: readonly Block[]; window: Window; width: number; cursor: number }) {
  const { blocks, window, width, cursor } = props;
  const x = (ns: number) => GUTTER + ((ns - window.from) * Math.max(1, width - GUTTER)) / window.span;
  const seen = blocks.filter((b) => b.end >= window.from && b.begin <= window.from + window.span);
  const at = seen.find((b) => b.index === cursor);
  const compile = seen[0]?.compile;
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      {timeTicks(window, width).map((ns) => (
        <g key={ns}>
          <path d={`M${x(ns)} ${TOP}V${AXIS + 4}`} stroke={v("rule")} />
          <text x={Math.min(x(ns), width - 24)} y={AXIS + 16} text-anchor="middle">
            {nanos(ns)}
          </text>
        </g>
      ))}
      {at && (
        <rect
          x={Math.max(GUTTER, x(at.begin))}
          y={TOP}
          width={Math.max(2, Math.min(width, x(at.end)) - Math.max(GUTTER, x(at.begin)))}
          height={AXIS - TOP}
          fill={v("select")}
          stroke={v("select-line")}
        />
      )}
      {ROWS.map((row, k) => (
        <g key={row} data-lane={row}>
          <text class="ink-2" x="0" y={top(k) + 12}>
            {row}
          </text>
          <path d={barsPath(blocks, row, window, width, top(k), BAR)} fill={v(COLOURS[row])} />
        </g>
      ))}
      {compile && (
        <rect
          x={Math.max(GUTTER, x(compile[0]))}
          y={top(1) + 0.5}
          width={Math.max(2, Math.min(width, x(compile[1])) - Math.max(GUTTER, x(compile[0])))}
          height={BAR - 1}
          fill={v("blue-wash")}
          stroke={v("blue")}
        />
      )}
      <Numbers blocks={seen} x={x} width={width} cursor={cursor} />
      <path d={`M${GUTTER} ${AXIS + 0.5}H${width}`} stroke={v("rule-strong")} />
    </svg>
  );
}
