// The drawing of one rule's machine: live states lit, the selected one marked, edges labelled, literals as boxes read byte by byte.
import {
  type FsmGraph,
  type FsmLayout,
  type GroupNode,
  LITERAL_MOST,
  type LiteralNode,
  literalWidth,
  type PlacedEdge,
  RADIUS,
  type StateNode,
  shortLabel,
} from "../layout/fsm";
import { byteText } from "../text";
import type { Rule } from "../wire";

const v = (name: string) => `var(--xg-${name})`;

function Arrow({ edge, to, hot }: { edge: PlacedEdge; to: string; hot: boolean }) {
  const [first, ...rest] = edge.points;
  if (!first) return null;
  let d = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
  for (let k = 0; k + 2 < rest.length; k += 3)
    d += `C${[rest[k], rest[k + 1], rest[k + 2]].map((p) => `${p?.x.toFixed(1)} ${p?.y.toFixed(1)}`).join(" ")}`;
  return (
    <path
      class={to}
      d={d}
      fill="none"
      stroke={v(hot ? "blue" : "ink-3")}
      stroke-width={hot ? 1.7 : 1.1}
      marker-end={hot ? "url(#xg-fsm-hot)" : "url(#xg-fsm-head)"}
    />
  );
}

export interface Lit {
  live: ReadonlyMap<number, number>; // live state: how many items stand there
  selected: number | null;
  candidate: ReadonlySet<number>;
}
interface GraphProps {
  graph: FsmGraph;
  layout: FsmLayout;
  lit: Lit;
  rule: Rule;
  pick: (state: number) => void;
}

function StateCircle({
  node,
  x,
  y,
  lit,
  rule,
  pick,
}: {
  node: StateNode;
  x: number;
  y: number;
  lit: Lit;
  rule: Rule;
  pick: (state: number) => void;
}) {
  const { id, accepting } = node.state;
  const n = lit.live.get(id) ?? 0;
  const selected = lit.selected === id;
  const line = v(selected ? "select-line" : n ? "blue" : lit.candidate.has(id) ? "ink" : "rule-strong");
  const name = `${rule.name}·${id - rule.states[0]}`;
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick(id);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button element can't stand inside a drawing
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
      {n > 0 && (
        <text class="strong live-ink haloed" y={RADIUS + (accepting ? 18 : 15)} text-anchor="middle">
          {n > 1 ? `live × ${n}` : "live"}
        </text>
      )}
    </g>
  );
}

/** A literal: each byte leads to a state; those read already are inked, the live one is where the blue ends. */
function LiteralBox({
  node,
  x,
  y,
  lit,
  pick,
}: {
  node: LiteralNode;
  x: number;
  y: number;
  lit: Lit;
  pick: (state: number) => void;
}) {
  const w = literalWidth(node);
  const shown = node.bytes.slice(0, LITERAL_MOST);
  const live = node.states.slice(0, -1).findLastIndex((s) => lit.live.has(s));
  const chosen = lit.selected === null ? -1 : node.states.slice(0, -1).indexOf(lit.selected);
  const x0 = -w / 2 + 9;
  return (
    <g class="fsm-literal" data-live={live >= 0 ? live : undefined} transform={`translate(${x} ${y})`}>
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
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above
        <text
          // biome-ignore lint/suspicious/noArrayIndexKey: a byte of a literal is its place
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
        <text class="strong live-ink haloed" y="27" text-anchor="middle">
          {live + 1} of {node.bytes.length}
        </text>
      )}
    </g>
  );
}

/** States inside code points, folded: how many they are, and whether the parse stands among them. */
function Pill({
  node,
  x,
  y,
  lit,
  pick,
}: {
  node: GroupNode;
  x: number;
  y: number;
  lit: Lit;
  pick: (state: number) => void;
}) {
  const live = node.states.find((s) => lit.live.has(s));
  const selected = lit.selected !== null && node.states.includes(lit.selected);
  const target = live ?? (node.states[0] as number);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table of states reaches each of these by keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
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
      <text class="haloed" y="27" text-anchor="middle">
        {node.caption}
      </text>
    </g>
  );
}

export function FsmDrawing({ graph, layout, lit, rule, pick }: GraphProps) {
  const kinds = new Map(graph.nodes.map((n) => [n.id, n]));
  const pad = { x: 34, top: 26, bottom: 30, right: 26 };
  const start = layout.nodes[graph.start];
  const isLive = (id: string) => {
    const node = kinds.get(id);
    return node?.kind === "state" && lit.live.has(node.state.id);
  };
  const [w, h] = [Math.ceil(layout.width + pad.x + pad.right), Math.ceil(layout.height + pad.top + pad.bottom)];
  return (
    <svg
      class="fsm"
      width={w}
      height={h}
      role="img"
      aria-label={`Machine of ${rule.name}, ${graph.nodes.length} nodes; live states: ${[...lit.live.keys()].map((s) => s - rule.states[0]).join(", ") || "none here"}`}
    >
      <defs>
        {[
          ["head", "ink-3"],
          ["hot", "blue"],
        ].map(([id, colour]) => (
          <marker
            key={id}
            id={`xg-fsm-${id}`}
            viewBox="0 0 8 8"
            refX="6.5"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M1 1 7 4 1 7Z" fill={v(colour as string)} />
          </marker>
        ))}
      </defs>
      <g transform={`translate(${pad.x} ${pad.top})`}>
        {start && (
          <path
            d={`M${start.x - RADIUS - 24} ${start.y}h21`}
            fill="none"
            stroke={v("ink-3")}
            marker-end="url(#xg-fsm-head)"
          />
        )}
        {layout.edges.map((edge, k) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two edges may join the same pair
          <Arrow
            key={k}
            edge={edge}
            to={kinds.get(edge.to)?.kind ?? "state"}
            hot={edge.from === edge.to && isLive(edge.from)}
          />
        ))}
        {layout.edges.map(
          (edge, k) =>
            edge.label && (
              // biome-ignore lint/suspicious/noArrayIndexKey: two edges may join the same pair
              <text
                key={k}
                class="mono ink s12 haloed"
                x={edge.at.x}
                y={edge.at.y + (layout.by === "graphviz" ? 1 : 0)}
                text-anchor="middle"
              >
                <title>{edge.label}</title>
                {shortLabel(edge.label)}
              </text>
            ),
        )}
        {graph.nodes.map((node) => {
          const at = layout.nodes[node.id];
          if (!at) return null;
          if (node.kind === "state")
            return <StateCircle key={node.id} node={node} x={at.x} y={at.y} lit={lit} rule={rule} pick={pick} />;
          const Box = node.kind === "literal" ? LiteralBox : Pill;
          return <Box key={node.id} node={node as never} x={at.x} y={at.y} lit={lit} pick={pick} />;
        })}
      </g>
    </svg>
  );
}
