// The lanes of the cache: a mark a step in the lane of its class, the time of its fill on a log scale, and what was done for it.

import { v } from "../../parts/colour";
import { Mark } from "../../parts/glyphs";
import { memo } from "../../parts/memo";
import { int, short } from "../../text";
import type { CacheClass, Step } from "../../wire";
import { logHeight } from "../tape/layout";
import { CACHE_CLASSES, type CacheCell, type CacheLanes, cellOfStep, fromTemplate, GUTTER, stepTicks } from "./layout";

const LANE = 26;
const TOP = 6;
const TIME_TOP = TOP + CACHE_CLASSES.length * LANE + 14;
const TIME = 56;
const WORK_TOP = TIME_TOP + TIME + 12;
const WORK = 18;
const WORKED = ["built", "adapted", "checked"] as const;
/** of an instance, also how many entries it found ready in its template */
const ROWS = [...WORKED, "from template"] as const;
type Row = (typeof ROWS)[number];
export const rowsOf = (ofTemplate: boolean): readonly Row[] => (ofTemplate ? ROWS : WORKED);
const axisOf = (rows: readonly Row[]): number => WORK_TOP + rows.length * WORK + 4;
const COLOURS: Record<CacheClass, string> = {
  context_hit: "hit-context",
  perfect_hit: "hit-perfect",
  partial_hit: "hit-partial",
  miss: "miss",
};
export const className = (c: CacheClass): string => (c === "miss" ? "miss, JIT" : c.replace("_", " "));

/** What of a row's work a step did; null where that was not recorded. */
const workOf = (step: Step, row: Row): number | null =>
  row === "from template"
    ? fromTemplate(step)
    : ({ built: step.n_built, adapted: step.n_adapted, checked: step.n_checked }[row] ?? null);

/** A count: written where a cell has room for it, else as a bar on a log scale up to 10,000. */
function Work({ n, x, y, cell }: { n: number; x: number; y: number; cell: number }) {
  if (cell >= 26 || (cell >= 16 && n < 100) || (cell >= 9 && n < 10))
    return (
      <text class="ink haloed mid" x={x + cell / 2} y={y + 13}>
        {short(n)}
      </text>
    );
  const height = Math.max(2, Math.min(1, Math.log10(n + 1) / 4) * (WORK - 4));
  return <rect x={x} y={y + WORK - 2 - height} width={Math.max(1, cell - 1)} height={height} fill={v("ink-2")} />;
}

const Cell = ({ at, cell, rows }: { at: CacheCell; cell: number; rows: readonly Row[] }) => {
  const { step, lane, x } = at;
  if (!step || lane === null || lane < 0 || step.cache === null) return null;
  const middle = x + cell / 2;
  const height = logHeight(step.mask_us ?? 0, TIME);
  return (
    <g>
      <Mark shape={step.cache} x={middle} y={TOP + lane * LANE + LANE / 2} size={Math.min(12, cell + 3)} />
      {step.mask_us !== null && (
        <rect
          x={x + Math.min(4, cell / 6)}
          y={TIME_TOP + TIME - height}
          width={Math.max(1, cell - 2 * Math.min(4, cell / 6))}
          height={height}
          fill={v(COLOURS[step.cache])}
        />
      )}
      {rows.map((row, k) => {
        const n = workOf(step, row);
        return n ? <Work key={row} n={n} x={x} y={WORK_TOP + k * WORK} cell={cell} /> : null;
      })}
    </g>
  );
};

const Cells = memo(({ lanes, rows }: { lanes: CacheLanes; rows: readonly Row[] }) => (
  <g>
    {lanes.cells.map((at) => (
      <Cell key={at.first} at={at} cell={lanes.cell} rows={rows} />
    ))}
  </g>
));

/** Names and counts of the lanes, the scale of the times, the rules between them. */
function Frame(props: { width: number; counts: Record<CacheClass, number>; rows: readonly Row[] }) {
  const { width, counts, rows } = props;
  const axis = axisOf(rows);
  return (
    <g>
      {CACHE_CLASSES.map((name, k) => {
        const y = TOP + k * LANE;
        return (
          <g key={name} data-lane={name} data-count={counts[name]}>
            <path d={`M0 ${y + LANE - 0.5}H${width}`} stroke={v("rule")} />
            <Mark shape={name} x={6} y={y + LANE / 2} size={11} />
            <text class="ink-2" x="17" y={y + LANE / 2 + 4} data-term={name}>
              {name === "miss" ? "miss" : name.replace("_", " ")}
            </text>
            <text x={GUTTER - 10} y={y + LANE / 2 + 4} class="end">
              {int(counts[name])}
            </text>
          </g>
        );
      })}
      <text class="ink-2" x="0" y={TIME_TOP + 10}>
        fill
      </text>
      {(
        [
          [1, "1 µs"],
          [100, "100 µs"],
          [10_000, "10 ms"],
        ] as const
      ).map(([us, text]) => {
        const y = TIME_TOP + TIME - (us === 1 ? 0 : logHeight(us, TIME));
        return (
          <g key={us}>
            <path d={`M${GUTTER} ${y + 0.5}H${width}`} stroke={v("rule")} />
            <text x={GUTTER - 10} y={y + 4} class="end">
              {text}
            </text>
          </g>
        );
      })}
      {rows.map((row, k) => (
        <text key={row} class="ink-2" x="0" y={WORK_TOP + k * WORK + 13} data-row={row}>
          {row}
        </text>
      ))}
      <path d={`M${GUTTER} ${axis + 0.5}H${width}`} stroke={v("rule-strong")} />
      <text class="ink-2" x="0" y={axis + 15}>
        step
      </text>
    </g>
  );
}

/** The line through the lanes at the step under the cursor, and the ground of its mark. */
function Cursor({ lanes, cursor, axis }: { lanes: CacheLanes; cursor: number; axis: number }) {
  const at = cellOfStep(lanes, cursor);
  if (!at) return null;
  const x = at.x + lanes.cell / 2;
  const y = at.lane !== null && at.lane >= 0 ? TOP + at.lane * LANE + LANE / 2 : null;
  return (
    <g>
      <path d={`M${x} 2V${axis + 4}`} stroke={v("select-line")} stroke-width="1.5" />
      {y !== null && <circle cx={x} cy={y} r="9" fill={v("select")} stroke={v("select-line")} stroke-width="1.5" />}
    </g>
  );
}

export function LanesDrawing(props: {
  lanes: CacheLanes;
  counts: Record<CacheClass, number>;
  n: number;
  width: number;
  cursor: number;
  rows: readonly Row[];
}) {
  const { lanes, counts, n, width, cursor, rows } = props;
  const axis = axisOf(rows);
  return (
    <svg width={width} height={axis + 22} aria-hidden="true">
      <Frame width={width} counts={counts} rows={rows} />
      <Cursor lanes={lanes} cursor={cursor} axis={axis} />
      <Cells lanes={lanes} rows={rows} />
      {stepTicks(n, lanes.cell / lanes.pooled).map((step) => {
        const x = GUTTER + (step / lanes.pooled) * lanes.cell + lanes.cell / 2;
        return (
          <g key={step}>
            <path d={`M${x} ${axis}v4`} stroke={v("rule-strong")} />
            <text x={x} y={axis + 16} class="mid">
              {step}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
