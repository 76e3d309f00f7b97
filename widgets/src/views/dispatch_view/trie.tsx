// The automaton of a dispatch, drawn small: its tree of bytes, the current node lit, failure links faint.

import { v } from "../../parts/colour";
import { byteText } from "../../text";
import type { PlacedNode } from "./layout";

export function TrieDrawing(props: {
  nodes: PlacedNode[];
  height: number;
  step: number;
  width: number;
  at: number | null;
  said: string;
}) {
  const { nodes, height, step, width, at, said } = props;
  return (
    <svg width={width} height={height + 8} role="img" aria-label={said} data-node={at}>
      {nodes.map((node) => {
        const to = nodes[node.failure];
        if (node.failure === 0 || !to) return null;
        const lift = Math.max(10, Math.abs(node.y - to.y) / 3);
        return (
          <path
            key={`failure ${node.id}`}
            d={`M${node.x} ${node.y}Q${(node.x + to.x) / 2} ${Math.min(node.y, to.y) - lift} ${to.x} ${to.y}`}
            fill="none"
            stroke={v("rule-strong")}
            stroke-dasharray="2 3"
          />
        );
      })}
      {nodes.slice(1).map((node) => {
        const from = nodes[node.parent] as PlacedNode;
        const elbow = from.y === node.y ? "" : `V${node.y}`;
        return (
          <g key={node.id}>
            <path d={`M${from.x} ${from.y}${elbow}H${node.x}`} fill="none" stroke={v("ink-3")} />
            <text class="mono ink haloed mid" x={node.x - step / 2} y={node.y - 5}>
              {byteText(node.byte)}
            </text>
          </g>
        );
      })}
      {nodes.map((node) => (
        <g key={`node ${node.id}`}>
          <circle
            cx={node.x}
            cy={node.y}
            r={node.id === at ? 6 : 4}
            fill={v(node.id === at ? "select" : "paper")}
            stroke={v(node.id === at ? "select-line" : "ink-2")}
            stroke-width={node.id === at ? 2 : 1.2}
          />
          {node.text !== null && <circle cx={node.x} cy={node.y} r="2" fill={v("ink-2")} />}
        </g>
      ))}
    </svg>
  );
}
