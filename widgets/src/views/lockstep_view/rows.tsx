// The tokens of each side, a row a side and a column a byte, with the mass that each mask removed below the token.
import { useMemo, useRef } from "preact/hooks";
import { v } from "../../parts/colour";
import { cut, prob, visible } from "../../text";
import type { LockstepReport } from "../../wire";
import { BYTE_WIDTH, windowOf } from "../compare/layout/tapes";
import { firstParting, letter, rowsOf, stepAt } from "./layout";

const [LABEL, ROW, TOP] = [112, 36, 16];
/** the pixels of a letter in the font of tokens */
const LETTER = 7.3;

interface RowsProps {
  report: LockstepReport;
  at: number | null;
  width: number;
  go: (side: number, step: number) => void;
}
export function Rows({ report, at, width, go }: RowsProps) {
  const { rows, end } = useMemo(() => rowsOf(report), [report]);
  const first = useRef(0);
  const n = Math.max(8, Math.floor((width - LABEL) / BYTE_WIDTH));
  first.current = windowOf(first.current, at ?? end, n, end + 4);
  const from = first.current;
  const x = (column: number) => LABEL + (column - from) * BYTE_WIDTH;
  const parts = firstParting(report);
  const height = TOP + rows.length * ROW;
  const said = parts === null ? "no difference so far" : `they part at byte ${parts}`;
  return (
    <div
      class="lockstep-rows"
      onPointerDown={(event) => {
        const place = event.currentTarget.getBoundingClientRect();
        const side = Math.floor((event.clientY - place.top - TOP) / ROW);
        const column = from + (event.clientX - place.left - LABEL) / BYTE_WIDTH;
        const cell = rows[side]?.find((one) => one.from <= column && column < one.from + one.n);
        if (cell && column >= from) go(side, cell.index);
      }}
    >
      <svg width={width} height={height} role="img" aria-label={`Tokens of ${rows.length} runs by byte: ${said}`}>
        <clipPath id="xg-lockstep">
          <rect x={LABEL - 1} y="0" width={Math.max(0, width - LABEL + 1)} height={height} />
        </clipPath>
        {report.sides.map(({ name }, side) => (
          <text key={side} x="0" y={TOP + side * ROW + 15}>
            {letter(side)} {cut(name, 14)}
          </text>
        ))}
        <g clip-path="url(#xg-lockstep)">
          {report.sides.map((one, side) => {
            const y = TOP + side * ROW;
            const here = stepAt(one, at);
            return rows[side]
              ?.filter((cell) => cell.from + cell.n > from && cell.from < from + n)
              .map(({ index, from: byte, n: wide, text }) => {
                const [, , token, , z] = one.steps[index] ?? [];
                const room = wide * BYTE_WIDTH - 2;
                const lost = z === null || z === undefined ? null : 1 - z;
                return (
                  <g key={`${side}.${index}`} data-cell={`${letter(side)}${index}`}>
                    <title>
                      {letter(side)}: {token === null ? "the next token" : visible(text)}, byte {byte}
                      {lost !== null && `, Z ${prob(z as number)}: the mask removed ${prob(lost)}`}
                    </title>
                    <rect
                      x={x(byte) + 0.5}
                      y={y + 0.5}
                      width={room}
                      height="20"
                      rx="1"
                      fill={v(index === here ? "select" : "paper")}
                      stroke={v(index === here ? "select-line" : "rule-strong")}
                      stroke-dasharray={token === null ? "3 2" : undefined}
                    />
                    <text class="mono" x={x(byte) + room / 2} y={y + 15} text-anchor="middle">
                      {cut(visible(text), Math.max(1, Math.floor(room / LETTER)))}
                    </text>
                    {lost !== null && (
                      <rect x={x(byte)} y={y + 24} width={room * lost} height="4" fill={v("p-lost")} data-lost={lost} />
                    )}
                  </g>
                );
              });
          })}
          {report.partings.map(
            (parting, k) =>
              parting && (
                <path
                  key={k}
                  data-parts={parting.byte}
                  d={`M${x(parting.byte) - 0.5} ${TOP + (k + 1) * ROW - 4}v${ROW - 4}`}
                  stroke={v("vermillion")}
                  stroke-width="2"
                />
              ),
          )}
          {parts !== null && (
            <>
              <path d={`M${x(parts) - 0.5} 3V${TOP + 24}`} stroke={v("vermillion")} stroke-width="2" />
              <text
                class="parts"
                x={x(parts) + (x(parts) > width - 90 ? -5 : 4)}
                y="11"
                text-anchor={x(parts) > width - 90 ? "end" : "start"}
              >
                they part
              </text>
            </>
          )}
        </g>
      </svg>
      <p class="xs faint">a column a byte; below each token, the probability mass that its mask removed (1 − Z)</p>
    </div>
  );
}
