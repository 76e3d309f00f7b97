// Pieces of the chart's drawing: a column's ground and head, an item with its letter, the arcs that made it.

import { v } from "../../parts/colour";
import { memo } from "../../parts/memo";
import { byteText, cut, hex } from "../../text";
import { stateName } from "../../trace";
import { COMPLETE, PREDICT, type Program } from "../../wire";
import { type Lane, LEAST_WIDTH, namedIn, type Placed, type ShownItem } from "./layout/chart";
import { doneText, dotOf, dotted, onward } from "./layout/text";

export const OPS = [
  { letter: "▸", name: "start" },
  { letter: "P", name: "predict" },
  { letter: "S", name: "scan" },
  { letter: "C", name: "complete" },
] as const;
export const HEAD = 46;
/** "  from 1234" at 11 px */
const FROM_WIDTH = 58;

interface GroundProps {
  placed: Placed;
  top: number;
  bottom: number;
  /** the selected byte leads into it */
  selected: boolean;
}
export function ColumnGround({ placed, top, bottom, selected }: GroundProps) {
  const { column, x, width } = placed;
  const ghost = column.kind === "candidate" || column.kind === "dead";
  return (
    <g>
      {column.kind === "live" && <rect x={x + 0.5} y=".5" width={width - 1} height={bottom} fill={v("blue-wash")} />}
      {column.kind === "dead" && (
        <rect x={x + 1} y={top - 2} width={width - 2} height={bottom - top + 2} fill="url(#xg-dead)" />
      )}
      {selected && (
        <rect
          class="column-selected"
          x={x + 3}
          y="3"
          width={width - 6}
          height={HEAD - 8}
          rx="2"
          fill={v("select")}
          stroke={v("select-line")}
          stroke-width="1.5"
        />
      )}
      <path
        d={`M${x + 0.5} 0V${bottom}`}
        stroke={v(ghost ? "rule-strong" : "rule")}
        stroke-dasharray={ghost ? "3 3" : "none"}
      />
      <text class={column.kind === "live" ? "ink strong" : "ink-2"} x={x + 8} y="15">
        {column.kind === "fold" ? `${column.column - column.folded + 1}–${column.column}` : column.column}
      </text>
      {column.kind === "fold" ? (
        <text class="mono" x={x + 8} y="34">
          {column.folded} bytes
        </text>
      ) : (
        column.byte !== null && (
          <text x={x + 8} y="35">
            <tspan class="mono ink s13">{byteText(column.byte)}</tspan>
            {byteText(column.byte).length === 1 && (
              <tspan class="mono" dx="7">
                {hex(column.byte)}
              </tspan>
            )}
          </text>
        )
      )}
      {column.kind === "live" && (
        <text class="strong live-ink end" x={x + width - 8} y="15">
          live
        </text>
      )}
      {column.kind === "candidate" && width > 110 && (
        <text x={x + width - 8} y="15" class="end">
          candidate
        </text>
      )}
      {column.kind === "dead" && (
        <text class="strong dead-ink end" x={x + width - 8} y="15">
          dead
        </text>
      )}
    </g>
  );
}

/** The rule of a lane, on two lines if need be. */
export function LaneName({ name, y, glyphs, two }: { name: string; y: number; glyphs: number; two: boolean }) {
  const lines = two ? namedIn(name, glyphs) : [cut(name, glyphs)];
  return (
    <text class="mono ink strong s12">
      <title>{name}</title>
      {lines.map((line, k) => (
        <tspan key={line} x="0" y={y + 15 * k}>
          {line}
        </tspan>
      ))}
    </text>
  );
}

export interface Placement {
  item: ShownItem;
  placed: Placed;
  x: number;
  y: number;
  w: number;
}

/** Where each item stands: by column and lane, as far as the lane has rows. */
export function placements(
  placed: readonly Placed[],
  lanes: readonly Lane[],
  rowHeight: number,
  items: (p: Placed, rule: number) => ShownItem[],
): { at: Map<string, Placement>; more: { x: number; y: number; n: number }[] } {
  const at = new Map<string, Placement>();
  const more: { x: number; y: number; n: number }[] = [];
  for (const p of placed) {
    for (const lane of lanes) {
      const all = items(p, lane.rule);
      const shown = all.length > lane.rows ? all.slice(0, lane.rows - 1) : all;
      shown.forEach((item, k) => {
        at.set(item.key, { item, placed: p, x: p.x + 4, y: lane.y + 3 + k * rowHeight, w: p.width - 8 });
      });
      if (shown.length < all.length)
        more.push({ x: p.x + 30, y: lane.y + 3 + (lane.rows - 1) * rowHeight + 15, n: all.length - shown.length });
    }
  }
  return { at, more };
}

/** A state's name, or its number alone: the lane says the rule. */
const shortState = (name: string, glyphs: number): string =>
  [...name].length <= glyphs ? name : name.slice(name.lastIndexOf("·"));

interface ItemProps {
  program: Program;
  item: ShownItem;
  folded: boolean;
  passed: string | null; // what this item's byte or child was, when the chart says how it was made
  w: number;
  rowHeight: number;
  selected: boolean;
  active: boolean;
  /** in how many more ways it was made */
  others?: number;
  /** a state's text is the author's, with the dot in it */
  isWritten?: boolean;
}
/** the width of a row in which "from 12" has room beside the dotted item */
const ORIGIN_IN_WORDS = 220;
/** Drawn from (0, 0), so that an item whose column moves is not drawn again. The drawing's own listeners read `data-item`. */
export const Item = memo(
  ({ program, item, folded, passed, w, rowHeight, selected, active, others = 0, isWritten = false }: ItemProps) => {
    const state = program.states[item.state];
    if (folded)
      return <path d={`M-4 ${rowHeight / 2}h${w + 8}`} stroke={v("scan")} stroke-dasharray="1 4" stroke-width="1.5" />;
    const op = item.op === null ? null : OPS[item.op];
    const tone = op && op.name !== "start" ? v(`${op.name}-ink`) : v("ink-3");
    const two = rowHeight > 30;
    // half of an Earley item: a row of one line has it at its end, as ", 3" in a textbook
    const origin = w >= ORIGIN_IN_WORDS ? `from ${item.origin}` : `${item.origin}`;
    const short = w < LEAST_WIDTH - 8;
    const [before, after] = dotted(
      isWritten ? (state?.before ?? "") : (passed ?? state?.before ?? ""),
      isWritten ? [state?.after ?? ""] : onward(program, item.state),
      Math.max(8, Math.floor((w - 28 - (others ? 44 : 0) - (two ? 0 : origin.length * 6.7 + 8)) / 7.25)),
    );
    const h = rowHeight - 2;
    return (
      <g class="item" data-item={item.key}>
        <title>{`${program.rules[item.rule]?.name} → ${state?.before}${dotOf(state)}${state?.after}\nstate ${stateName(program, item.state)}, from byte ${item.origin}${doneText(item.done)}`}</title>
        <rect
          width={w}
          height={h}
          rx="2"
          fill={selected ? v("select") : active ? v("hover") : "transparent"}
          stroke={selected ? v("select-line") : "none"}
          stroke-width="1.5"
        />
        {op && op.name !== "start" ? (
          <g>
            <rect
              x="4.5"
              y="4.5"
              width="14"
              height="14"
              rx="2"
              fill="none"
              stroke={v(op.name)}
              stroke-dasharray={item.op === PREDICT ? "2 1.6" : "none"}
              stroke-width={item.op === COMPLETE ? 2 : 1}
            />
            <text class="strong mid" x="11.5" y="15.5" style={{ fill: tone }}>
              {op.letter}
            </text>
          </g>
        ) : null}
        {short ? (
          <text class="mono ink s12" x="24" y="16">
            {shortState(stateName(program, item.state), (w - 28 - (two ? 0 : origin.length * 6.7 + 8)) / 7.25)}
          </text>
        ) : (
          <text class="mono ink s12" x="24" y="16">
            {before}
            <tspan class="strong" style={{ fill: tone }}>
              {dotOf({ before, after, tight: state?.tight ?? false })}
            </tspan>
            {after}
          </text>
        )}
        {others > 0 && (
          <text class="ways strong end" x={w - 6 - (two ? 0 : origin.length * 6.7 + 6)} y="16">
            {others + 1} ways
          </text>
        )}
        {!two && (
          <text class={selected ? "ink-2 end" : "end"} x={w - 6} y="16" data-origin={item.origin}>
            {origin}
          </text>
        )}
        {two && (
          <text class={selected ? "ink-2" : ""} x="24" y="32">
            {!short && (
              <tspan class="mono">{shortState(stateName(program, item.state), (w - 28 - FROM_WIDTH) / 6.7)}</tspan>
            )}
            {`${short ? "" : "  "}from ${item.origin}`}
          </text>
        )}
      </g>
    );
  },
);
