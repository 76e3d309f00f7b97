// The drawing of one rule's machine: live states lit, the selected one marked, edges labelled, literals as boxes read byte by byte.

import type { ComponentChildren } from "preact";
import { v } from "../../parts/colour";
import { memo } from "../../parts/memo";
import type { DrawnRule } from "../../wire";
import { overhang } from "./layout/fit";
import {
  type FsmGraph,
  type FsmLayout,
  type FsmNode,
  labelHeights,
  type PlacedEdge,
  RADIUS,
  shortLabel,
} from "./layout/fsm";
import { type Lit, LiteralBox, Pill, StateCircle } from "./nodes";

type Pick = (state: number) => void;

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

/** Room round a layout: the arrow that enters on the left, labels above, "live" below. */
export const PAD = { x: 42, top: 26, bottom: 30, right: 6 };

interface EdgesProps {
  graph: FsmGraph;
  layout: FsmLayout;
  labelMost: number;
  hot: string;
}
/** All that stays while the parse moves through the machine; an edge is hot where a live state leads to itself. */
const Edges = memo(({ graph, layout, labelMost, hot }: EdgesProps) => {
  const kinds = new Map(graph.nodes.map((n) => [n.id, n.kind]));
  const lively = new Set(hot.split(" "));
  const heights = labelHeights(layout.edges, labelMost);
  return (
    <>
      {layout.edges.map((edge, k) => (
        <Arrow
          key={k}
          edge={edge}
          to={kinds.get(edge.to) ?? "state"}
          hot={edge.from === edge.to && lively.has(edge.from)}
        />
      ))}
      {layout.edges.map((edge, k) => {
        if (!edge.label) return null;
        return (
          <text
            key={k}
            class="mono ink s12 haloed mid"
            x={edge.at.x}
            y={(heights[k] as number) + (layout.by === "graphviz" ? 1 : 0)}
          >
            <title>{edge.label}</title>
            {shortLabel(edge.label, labelMost)}
          </text>
        );
      })}
    </>
  );
});

function Node({
  node,
  at,
  lit,
  rule,
  pick,
}: {
  node: FsmNode;
  at: { x: number; y: number };
  lit: Lit;
  rule: DrawnRule;
  pick: Pick;
}) {
  const place = { x: at.x, y: at.y, pick };
  if (node.kind === "state") {
    const { id } = node.state;
    const [n, selected, candidate] = [lit.live.get(id) ?? 0, lit.selected === id, lit.candidate.has(id)];
    return <StateCircle node={node} rule={rule} n={n} selected={selected} candidate={candidate} {...place} />;
  }
  if (node.kind === "literal") {
    const before = node.states.slice(0, -1);
    const live = before.findLastIndex((s) => lit.live.has(s));
    return (
      <LiteralBox
        node={node}
        live={live}
        chosen={lit.selected === null ? -1 : before.indexOf(lit.selected)}
        {...place}
      />
    );
  }
  const selected = lit.selected !== null && node.states.includes(lit.selected);
  return <Pill node={node} live={node.states.find((s) => lit.live.has(s))} selected={selected} {...place} />;
}

interface GraphProps {
  graph: FsmGraph;
  layout: FsmLayout;
  labelMost: number;
  lit: Lit;
  rule: DrawnRule;
  pick: Pick;
  /** drawn over it, in the layout's coordinates */
  children?: ComponentChildren;
}

export function FsmDrawing({ graph, layout, labelMost, lit, rule, pick, children }: GraphProps) {
  const hot = graph.nodes.filter((node) => node.kind === "state" && lit.live.has(node.state.id)).map((node) => node.id);
  const [w, h] = [
    Math.ceil(layout.width + overhang(layout, graph) + PAD.x + PAD.right),
    Math.ceil(layout.height + PAD.top + PAD.bottom),
  ];
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
      <g transform={`translate(${PAD.x} ${PAD.top})`}>
        {graph.starts.map((id) => {
          const { x, y } = layout.nodes[id] ?? {};
          if (x === undefined) return null;
          const entry = `M${x - RADIUS - 24} ${y}h21`;
          return <path key={id} d={entry} fill="none" stroke={v("ink-3")} marker-end="url(#xg-fsm-head)" />;
        })}
        <Edges graph={graph} layout={layout} labelMost={labelMost} hot={hot.join(" ")} />
        {graph.nodes.map((node) => {
          const at = layout.nodes[node.id];
          return at && <Node key={node.id} node={node} at={at} lit={lit} rule={rule} pick={pick} />;
        })}
        {children}
      </g>
    </svg>
  );
}
