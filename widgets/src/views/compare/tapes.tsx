// The tokens of A and of B over the same bytes, a column a byte; of one vocabulary B's row says only what differs.
import { useMemo, useRef } from "preact/hooks";
import { v } from "../../parts/colour";
import { Mark } from "../../parts/glyphs";
import { placeIn } from "../../parts/place";
import { plural, visible } from "../../text";
import type { CompareReport } from "../../wire";
import { BYTE_WIDTH, type Cell, cellsOf, windowOf } from "./layout/tapes";

const [LABEL, ROW, TOP] = [28, 24, 16];
/** a time that is so many times the other's is worth a word */
const NOTABLE = 1.5;

/** What B's mask of a step has other than A's: a cache class, a time, a refusal. */
export function differsIn(
  report: CompareReport,
  step: number,
): { shape: string | null; factor: string; refuses: "" | "A" | "B" } {
  const { a, b, divergence: at } = report;
  const [x, y] = [a.us.first[step], b.us.first[step]];
  const ratio = x && y ? y / x : 1;
  const factor =
    ratio >= NOTABLE || ratio <= 1 / NOTABLE ? `${ratio >= 9.95 ? ratio.toFixed(0) : ratio.toFixed(1)}×` : "";
  const shape = a.caches[step] !== b.caches[step] ? (b.caches[step] ?? null) : null;
  const refuses = at?.step === step && at.takes_a !== at.takes_b ? (at.takes_a ? "B" : "A") : "";
  return { shape, factor, refuses };
}
const CACHES = ["perfect_hit", "context_hit", "partial_hit", "miss"] as const;

interface TapesProps {
  store: { goTo: (step: number) => void };
  report: CompareReport;
  cursor: number;
  width: number;
}
export function CompareTapes({ store, report, cursor, width }: TapesProps) {
  const inBytes = report.unit === "byte";
  const [tokensA, tokensB] = report.tapes;
  const last = tokensA.at(-1);
  const end = inBytes
    ? report.texts.length
    : last
      ? last[0] + Math.max(1, new TextEncoder().encode(last[1]).length)
      : 0;
  const [a, b] = useMemo(() => [cellsOf(tokensA, end), tokensB && cellsOf(tokensB, end)], [tokensA, tokensB, end]);
  const first = useRef(0);
  if (a.length === 0) return null;
  const n = Math.max(8, Math.floor((width - LABEL) / BYTE_WIDTH));
  const here = inBytes ? cursor : (a[cursor]?.from ?? end);
  first.current = windowOf(first.current, here, n, end + 3);
  const from = first.current;
  const x = (column: number) => LABEL + (column - from) * BYTE_WIDTH;
  const seen = (cells: readonly Cell[]) => cells.filter((cell) => cell.from + cell.n > from && cell.from < from + n);
  const parts = report.divergence && (inBytes ? report.divergence.step : report.divergence.byte);
  const isAt = (cell: Cell) => (inBytes ? cell.from <= cursor && cursor < cell.from + cell.n : cell.index === cursor);
  const box = (cell: Cell, y: number, row: string) => (
    <g key={`${row}${cell.index}`} data-cell={`${row}${cell.index}`}>
      <title>{`${row}: ${visible(cell.text)}, byte ${cell.from}`}</title>
      <rect
        x={x(cell.from) + 0.5}
        y={y + 0.5}
        width={cell.n * BYTE_WIDTH - 2}
        height={ROW - 5}
        rx="1"
        fill={isAt(cell) ? v("select") : v("paper")}
        stroke={isAt(cell) ? v("select-line") : v("rule-strong")}
      />
    </g>
  );
  const label = (cell: Cell, y: number, row: string) => (
    <text
      key={`${row}${cell.index}t`}
      class="mono"
      x={x(cell.from) + (cell.n * BYTE_WIDTH - 2) / 2}
      y={y + 14}
      text-anchor="middle"
    >
      {fitted(visible(cell.text), cell.n)}
    </text>
  );
  return (
    <div
      class="compare-tapes"
      onPointerDown={(event) => {
        const { x, y } = placeIn(event);
        const column = from + (x - LABEL) / BYTE_WIDTH;
        const row = b && y > TOP + ROW ? b : a;
        const cell = row.find((one) => one.from <= column && column < one.from + one.n);
        if (cell && column >= from) store.goTo(inBytes ? cell.from : cell.index);
      }}
    >
      <svg width={width} height={TOP + 2 * ROW} role="img" aria-label={spoken(report)}>
        <clipPath id="xg-tapes">
          <rect x={LABEL - 1} y="0" width={Math.max(0, width - LABEL + 1)} height={TOP + 2 * ROW} />
        </clipPath>
        <text x="0" y={TOP + 14}>
          A
        </text>
        <text x="0" y={TOP + ROW + 14}>
          B
        </text>
        <g clip-path="url(#xg-tapes)">
          {seen(a).map((cell) => box(cell, TOP, "A"))}
          {seen(a).map((cell) => label(cell, TOP, "A"))}
          {b && seen(b).map((cell) => box(cell, TOP + ROW, "B"))}
          {b && seen(b).map((cell) => label(cell, TOP + ROW, "B"))}
          {!inBytes && seen(a).map((cell) => <Differs key={cell.index} report={report} cell={cell} x={x(cell.from)} />)}
          {parts !== null && parts >= from && parts <= from + n && (
            <g data-parts={parts}>
              <path d={`M${x(parts) - 0.5} 3V${TOP + 2 * ROW}`} stroke={v("vermillion")} stroke-width="2" />
              <text
                class="parts"
                x={x(parts) + (x(parts) > width - 120 ? -5 : 4)}
                y="11"
                text-anchor={x(parts) > width - 120 ? "end" : "start"}
              >
                they part
              </text>
            </g>
          )}
        </g>
      </svg>
      <p class="xs faint">
        {inBytes
          ? b
            ? `a column a byte; A has ${plural(a.length, "token")} for the text, B ${b.length}`
            : "B's vocabulary has no tokens for this text"
          : "a column a byte; B takes the same tokens: its row says what differs when cold, in cache and in time (1.5 times or more)"}
      </p>
    </div>
  );
}

function Differs({ report, cell, x }: { report: CompareReport; cell: Cell; x: number }) {
  const { shape, factor, refuses } = differsIn(report, cell.index);
  const middle = x + (cell.n * BYTE_WIDTH - 2) / 2;
  const y = TOP + ROW + 10;
  const known = CACHES.find((one) => one === shape);
  const room = cell.n * BYTE_WIDTH;
  const told = [
    refuses && `${refuses} refuses it`,
    known && `B: ${known.replace("_", " ")}`,
    factor && `B ${factor} the time`,
  ];
  return (
    <g data-differs-in={told.filter(Boolean).join(", ")}>
      <title>{told.filter(Boolean).join(", ") || "as in A"}</title>
      <rect x={x} y={TOP + ROW} width={Math.max(0, room - 2)} height={ROW - 4} fill="transparent" />
      <path d={`M${x} ${TOP + ROW + 19.5}h${room - 2}`} stroke={v("rule-strong")} />
      {refuses ? (
        <Mark shape="no" x={middle} y={y} />
      ) : (
        <>
          {known && <Mark shape={known} x={factor && room >= 44 ? x + 7 : middle} y={y} size={9} />}
          {factor && (!known || room >= 44) && room >= 24 && (
            <text x={known ? x + 14 : middle} y={y + 4} text-anchor={known ? "start" : "middle"}>
              {factor}
            </text>
          )}
        </>
      )}
    </g>
  );
}

/** As many letters as the token's columns hold. */
export const fitted = (text: string, n: number): string => {
  const room = Math.max(1, Math.floor((n * BYTE_WIDTH - 3) / 7.3));
  return [...text].length <= room
    ? text
    : room < 2
      ? ([...text][0] ?? "")
      : `${[...text].slice(0, room - 1).join("")}…`;
};

function spoken(report: CompareReport): string {
  const [a, b] = report.tapes;
  const parts = report.divergence ? `; they part at byte ${report.divergence.byte}` : "; they do not part";
  return `Tokens by byte: A ${a.length}${b ? `, B ${b.length}` : ", B the same"}${parts}`;
}
