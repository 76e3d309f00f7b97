// Nodes of a machine's drawing: a state, a literal read byte by byte, folded states inside code points.

import { v } from "../../parts/colour";
import { memo } from "../../parts/memo";
import { byteText } from "../../text";
import type { DrawnRule } from "../../wire";
import { type GroupNode, LITERAL_MOST, type LiteralNode, literalWidth, RADIUS, type StateNode } from "./layout/fsm";

export interface Lit {
  live: ReadonlyMap<number, number>; // live state: how many items stand there
  selected: number | null;
  candidate: ReadonlySet<number>;
}

interface NodeProps<Node> {
  node: Node;
  x: number;
  y: number;
  pick: (state: number) => void;
}

interface CircleProps extends NodeProps<StateNode> {
  rule: DrawnRule;
  n: number; // items that stand here
  selected: boolean;
  candidate: boolean;
}
export const StateCircle = memo(({ node, x, y, rule, n, selected, candidate, pick }: CircleProps) => {
  const { id, accepting } = node.state;
  const line = v(selected ? "select-line" : n ? "blue" : candidate ? "ink" : "rule-strong");
  const name = `${rule.name}·${id - rule.states[0]}`;
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick(id);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a button element can't stand inside a drawing */}
      <g
        class="fsm-state"
        data-state={id}
        data-live={n > 0 ? n : undefined}
        transform={`translate(${x} ${y})`}
        tabIndex={0}
        role="button"
        aria-pressed={selected}
        aria-label={`state ${name}${accepting ? ", accepting" : ""}${n ? `, live, ${n} items` : ""}`}
        onClick={() => pick(id)}
        onKeyDown={keys}
      >
        <title>{`${name}\n${node.state.before} • ${node.state.after}`}</title>
        {accepting && <circle r={RADIUS + 3.5} fill="none" stroke={line} />}
        <circle
          r={RADIUS}
          fill={v(selected ? "select" : n ? "blue-wash" : "paper")}
          stroke={line}
          stroke-width={selected || n ? 2 : 1.2}
        />
        <text class={`mono ink ${selected || n ? "strong" : ""}`} y="4" text-anchor="middle">
          {id - rule.states[0]}
        </text>
      </g>
      {n > 0 && (
        <text class="strong live-ink haloed mid" x={x} y={y + RADIUS + (accepting ? 18 : 15)}>
          {n > 1 ? `live × ${n}` : "live"}
        </text>
      )}
    </>
  );
});

interface LiteralProps extends NodeProps<LiteralNode> {
  live: number; // the last byte before which the parse stands, -1 for none
  chosen: number;
}
/** A literal: each byte leads to a state; those read already are inked, the live one is where the blue ends. */
export const LiteralBox = memo(({ node, x, y, live, chosen, pick }: LiteralProps) => {
  const w = literalWidth(node);
  const shown = node.bytes.slice(0, LITERAL_MOST);
  const x0 = -w / 2 + 9;
  return (
    <g
      class="fsm-literal"
      data-live={live >= 0 ? live : undefined}
      data-chosen={chosen >= 0 ? node.states[chosen] : undefined}
      transform={`translate(${x} ${y})`}
    >
      <rect
        x={-w / 2}
        y="-12"
        width={w}
        height="24"
        rx="3"
        fill={v("paper")}
        stroke={v(live >= 0 ? "blue" : "rule-strong")}
        stroke-width={live >= 0 ? 1.8 : 1}
      />
      {live >= 0 && (
        <rect
          x={-w / 2 + 1.5}
          y="-10.5"
          width={9 + (Math.min(live, LITERAL_MOST) + 1) * 7.3 - 1.5}
          height="21"
          rx="2"
          fill={v("blue-wash")}
        />
      )}
      {chosen >= 0 && (
        <rect
          x={x0 + chosen * 7.3 - 1}
          y="-10.5"
          width="9"
          height="21"
          fill={v("select")}
          stroke={v("select-line")}
          stroke-width="1.5"
        />
      )}
      {shown.map((byte, k) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the table of states reaches each of these by keyboard
        <text
          key={k}
          class={`mono s12 ${live < 0 || k <= live ? "ink" : "ink-2"} ${k === live ? "strong" : ""}`}
          data-state={node.states[k]}
          x={x0 + k * 7.3 + 3.6}
          y="4"
          text-anchor="middle"
          onClick={() => pick(node.states[k] as number)}
        >
          {k === LITERAL_MOST - 1 && node.bytes.length > LITERAL_MOST
            ? "…"
            : [...byteText(byte)].length > 1
              ? "�"
              : byteText(byte)}
        </text>
      ))}
      {live >= 0 && (
        <text class="strong live-ink haloed mid" y="27">
          {live + 1} of {node.bytes.length}
        </text>
      )}
    </g>
  );
});

interface PillProps extends NodeProps<GroupNode> {
  live: number | undefined; // a state in here that the parse stands in
  selected: boolean;
}
/** States inside code points, folded: how many they are, and whether the parse stands among them. */
export const Pill = memo(({ node, x, y, live, selected, pick }: PillProps) => {
  const target = live ?? (node.states[0] as number);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table of states reaches each of these by keyboard
    <g class="fsm-literal" data-live={live} transform={`translate(${x} ${y})`} onClick={() => pick(target)}>
      <rect x="-39" y="-15" width="84" height="24" rx="12" fill={v("paper")} stroke={v("rule")} />
      <rect
        x="-42"
        y="-12"
        width="84"
        height="24"
        rx="12"
        fill={v(selected ? "select" : live === undefined ? "sunken" : "blue-wash")}
        stroke={v(selected ? "select-line" : live === undefined ? "rule-strong" : "blue")}
        stroke-width={selected || live !== undefined ? 1.8 : 1}
      />
      <text class={live === undefined ? "ink-2" : "strong live-ink"} y="4" text-anchor="middle">
        {live === undefined ? `${node.states.length} states` : "live inside"}
      </text>
      <text class="haloed mid" y="27">
        {node.caption}
      </text>
    </g>
  );
});
