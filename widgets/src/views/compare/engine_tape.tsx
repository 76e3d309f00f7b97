// The text with its tokens, a column a byte, and below each token a row an engine: its mask is the first's, another one, or it refuses.
import { useMemo, useRef } from "preact/hooks";
import { v } from "../../parts/colour";
import { Mark as Drawn, Glyph } from "../../parts/glyphs";
import { StepSlider } from "../../parts/step_slider";
import type { Store } from "../../store";
import { cut, visible } from "../../text";
import type { EngineReport } from "../../wire";
import { differsAt, type Mark, markOf, tapeOf, told } from "./layout/engines";
import { BYTE_WIDTH, type Cell, windowOf } from "./layout/tapes";
import { fitted } from "./tapes";

const [NAME, ROW, TOP, TAPE] = [104, 20, 14, 24];

interface TapeProps {
  store: Pick<Store, "goTo">;
  report: EngineReport;
  cursor: number;
  width: number;
}
export function EngineTape({ store, report, cursor, width }: TapeProps) {
  const cells = useMemo(() => tapeOf(report), [report]);
  const first = useRef(0);
  const last = cells.at(-1);
  if (!last) return null;
  const n = Math.max(8, Math.floor((width - NAME) / BYTE_WIDTH));
  const here = cells[cursor]?.from ?? 0;
  first.current = windowOf(first.current, here, n, last.from + last.n);
  const from = first.current;
  const x = (column: number) => NAME + (column - from) * BYTE_WIDTH;
  const wide = (cell: Cell) => cell.n * BYTE_WIDTH - 2;
  const seen = cells.filter((cell) => cell.from + cell.n > from && cell.from < from + n);
  const parts = report.disagreements.length > 0 ? Math.min(...report.disagreements.map((one) => one.step)) : null;
  const at = parts === null ? null : (cells[parts]?.from ?? null);
  const isLate = at !== null && x(at) > width - 80;
  const height = TOP + TAPE + report.engines.length * ROW;
  const isEnd = (cell: Cell) => cell.index >= report.tape.length;
  return (
    <StepSlider
      store={store}
      n={cells.length}
      cursor={cursor}
      label="Tokens of the text, and the masks of the engines"
      text={told(report, cursor)}
      cls="compare-tapes engine-tape"
      at={(px) => seen.findLast((cell) => x(cell.from) <= px)?.index}
    >
      <svg width={width} height={height} aria-hidden="true">
        <clipPath id="xg-engine-tape">
          <rect x={NAME - 1} y="0" width={Math.max(0, width - NAME + 1)} height={height} />
        </clipPath>
        {report.engines.map((one, k) => (
          <text key={one.name} x="0" y={TOP + TAPE + k * ROW + 14}>
            {cut(one.name, 15)}
          </text>
        ))}
        <g clip-path="url(#xg-engine-tape)">
          {seen.map((cell) => {
            const isHere = cell.index === cursor;
            const differs = differsAt(report, cell.index);
            const middle = x(cell.from) + wide(cell) / 2;
            return (
              <g key={cell.index} data-cell={cell.index} data-any-differs={differs || undefined}>
                {isHere && (
                  <rect x={x(cell.from) - 1} y={TOP - 2} width={wide(cell) + 2} height={height} fill={v("select")} />
                )}
                {!isEnd(cell) && (
                  <rect
                    x={x(cell.from) + 0.5}
                    y={TOP + 0.5}
                    width={wide(cell)}
                    height={TAPE - 5}
                    rx="1"
                    fill={isHere ? v("select") : v(differs ? "amber-wash" : "paper")}
                    stroke={isHere ? v("select-line") : v(differs ? "amber" : "rule-strong")}
                  />
                )}
                <text
                  class={isEnd(cell) ? "" : "mono"}
                  x={isEnd(cell) ? x(cell.from) + 2 : middle}
                  y={TOP + 14}
                  text-anchor={isEnd(cell) ? "start" : "middle"}
                >
                  {isEnd(cell) ? cell.text : fitted(visible(cell.text), cell.n)}
                </text>
                {report.engines.map((one, k) => (
                  <MarkAt
                    key={one.name}
                    mark={markOf(report, cell.index, k)}
                    x={middle}
                    y={TOP + TAPE + k * ROW + ROW / 2}
                    name={`${one.name} ${cell.index}`}
                  />
                ))}
              </g>
            );
          })}
          {at !== null && at >= from && at <= from + n && (
            <g data-parts={parts}>
              <path d={`M${x(at) - 1.5} 2V${height}`} stroke={v("vermillion")} stroke-width="2" />
              <text class="parts" x={x(at) + (isLate ? -5 : 4)} y="10" text-anchor={isLate ? "end" : "start"}>
                they part
              </text>
            </g>
          )}
        </g>
      </svg>
    </StepSlider>
  );
}

function MarkAt({ mark, x, y, name }: { mark: Mark; x: number; y: number; name: string }) {
  return (
    <g data-mark={mark} data-of={name}>
      {mark === "refuses" && <Drawn shape="no" x={x} y={y} />}
      {mark === "differs" && <Differs x={x} y={y} />}
      {mark === "same" && <Same x={x} y={y} />}
      {mark === "none" && <path d={`M${x - 3} ${y}h6`} stroke={v("rule-strong")} />}
    </g>
  );
}
const Same = ({ x, y }: { x: number; y: number }) => (
  <rect x={x - 3.5} y={y - 3.5} width="7" height="7" fill="none" stroke={v("teal")} />
);
const Differs = ({ x, y }: { x: number; y: number }) => (
  <g>
    <rect x={x - 4} y={y - 4} width="8" height="8" fill={v("amber")} />
    <path d={`M${x - 2} ${y - 2}l4 4M${x + 2} ${y - 2}l-4 4`} stroke={v("paper")} stroke-width="1.4" />
  </g>
);

/** What the marks mean, in the drawing's own marks. */
export const EngineKey = ({ report }: { report: EngineReport }) => (
  <p class="xs faint compare-key">
    {report.engines.length > 1 && (
      <>
        <span>
          <svg width="12" height="10" aria-hidden="true">
            <Same x={6} y={5} />
          </svg>{" "}
          the mask of {report.engines[0]?.name}
        </span>
        <span>
          <svg width="12" height="10" aria-hidden="true">
            <Differs x={6} y={5} />
          </svg>{" "}
          another mask
        </span>
      </>
    )}
    <span>
      <Glyph shape="no" size={10} /> refuses the token
    </span>
    <span>a column a byte</span>
  </p>
);
