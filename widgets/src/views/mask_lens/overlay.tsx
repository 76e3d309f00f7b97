// What floats over the mask's canvas: rings round cells, a loupe, the tip under the pointer.

import { type Bulk, decodeProb } from "../../bulk";
import { v } from "../../parts/colour";
import { CLASS_NAMES, CLASS_SHAPES, Glyph, Mark } from "../../parts/glyphs";
import { Token } from "../../parts/small";
import type { Store } from "../../store";
import { prob } from "../../text";
import type { Vocabulary } from "../../vocabulary";
import { cellOf, type Grid } from "./layout/mask";
import { hasModel } from "./legend";

export function Ring({ grid, rank, kind }: { grid: Grid; rank: number; kind: "select" | "focus" | "hit" }) {
  const { x, y } = cellOf(grid, rank);
  const c = grid.cell;
  if (kind !== "hit" && c >= 5) {
    const line = kind === "select" ? v("select-line") : v("focus");
    return (
      <g fill="none">
        <rect x={x - 2} y={y - 2} width={c + 4} height={c + 4} rx="2" stroke={v("paper")} stroke-width="4" />
        <rect x={x - 1.5} y={y - 1.5} width={c + 3} height={c + 3} rx="2" stroke={line} stroke-width="2" />
      </g>
    );
  }
  const r = kind === "select" ? 8 : kind === "focus" ? 7 : Math.max(4, c * 0.75);
  const line = kind === "select" ? v("select-line") : kind === "focus" ? v("focus") : v("ink");
  return (
    <g fill="none">
      {kind !== "hit" && <circle cx={x + c / 2} cy={y + c / 2} r={r} stroke={v("paper")} stroke-width="4" />}
      <circle cx={x + c / 2} cy={y + c / 2} r={r} stroke={line} stroke-width={kind === "hit" ? 1.2 : 1.8} />
    </g>
  );
}

/** A window of cells at 16 px round one of them, where shape takes over from hue: the one under the pointer, else the selected one. */
export function Loupe({
  vocabulary,
  bulk,
  grid,
  rank,
  isSelected,
}: {
  vocabulary: Vocabulary;
  bulk: Bulk;
  grid: Grid;
  rank: number;
  isSelected: boolean;
}) {
  const columns = Math.floor((grid.columns * grid.cell) / 16);
  const first = Math.max(
    0,
    Math.min(
      Math.floor(rank / grid.columns) * grid.columns + Math.max(0, (rank % grid.columns) - (columns >> 1)),
      grid.n - columns,
    ),
  );
  const cells = [-1, 0, 1].flatMap((row) =>
    Array.from({ length: columns }, (_, k) => ({ at: first + row * grid.columns + k, x: k * 16, y: (row + 1) * 16 })),
  );
  return (
    <svg
      class="loupe"
      width={columns * 16}
      height="48"
      role="img"
      data-rank={rank}
      aria-label={`Cells around ${isSelected ? "the selected token" : "one token"}, enlarged`}
    >
      {cells.map(({ at, x, y }) => {
        if (at < 0 || at >= grid.n) return null;
        const code = bulk.provenance[vocabulary.order[at] as number] ?? 0;
        return (
          <g key={at}>
            {at === rank && (
              <rect
                x={x}
                y={y}
                width="16"
                height="16"
                fill={isSelected ? v("select") : "none"}
                stroke={v(isSelected ? "select-line" : "ink-2")}
                stroke-width="1.5"
              />
            )}
            <Mark shape={CLASS_SHAPES[code] ?? "rejected"} x={x + 8} y={y + 8} size={11} />
          </g>
        );
      })}
    </svg>
  );
}

export function Tip({
  store,
  id,
  bulk,
  text,
  at,
  size,
}: {
  store: Store;
  id: number;
  bulk: Bulk;
  text: string;
  at: { x: number; y: number };
  size: number;
}) {
  const code = bulk.provenance[id] ?? 0;
  const exact = store.step.value?.top.find(([token]) => token === id);
  const p = exact?.[2] ?? decodeProb(bulk.probability[id] ?? 0);
  const side = at.x > size / 2 ? { right: `${size - at.x + 12}px` } : { left: `${at.x + 14}px` };
  const level = at.y > size / 2 ? { bottom: `${size - at.y + 10}px` } : { top: `${at.y + 12}px` };
  return (
    <div class="float tip" style={{ ...side, ...level }}>
      <p>
        <Glyph shape={CLASS_SHAPES[code] ?? "rejected"} />
        <Token text={text} cls="clip" />
      </p>
      <dl>
        <dt>id</dt>
        <dd class="mono">{id}</dd>
        <dt>p</dt>
        <dd>{!hasModel(store) ? "no model" : p === 0 ? "below 10⁻⁹" : `${exact ? "" : "≈ "}${prob(p)}`}</dd>
        <dt>why</dt>
        <dd>{CLASS_NAMES[code]}</dd>
      </dl>
    </div>
  );
}
