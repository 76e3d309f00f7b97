// The canvas of the mask with what floats over it: the selected cell, the roving focus, search hits, the tip under the pointer.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Bulk, decodeProb } from "../bulk";
import { CLASS_KEYS } from "../keys";
import { bands, cellOf, type Grid, gridFor, rankAt, rove } from "../layout/mask";
import { page } from "../page";
import { CLASS_NAMES, CLASS_SHAPES, Glyph, Mark } from "../parts/glyphs";
import { Token } from "../parts/small";
import type { Store } from "../store";
import { int, prob } from "../text";
import type { Vocabulary } from "../vocabulary";
import { paintMask, paletteOf } from "./mask_paint";

const v = (name: string) => `var(--xg-${name})`;
export interface CanvasProps {
  store: Store;
  vocabulary: Vocabulary;
  bulk: Bulk;
  before: Bulk | null;
  size: number;
  stale: boolean;
  hits: readonly number[];
}

function Ring({ grid, rank, kind }: { grid: Grid; rank: number; kind: "select" | "focus" | "hit" }) {
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

/** A window of cells at 16 px round one of them, where shape takes over from hue. */
function Loupe({ vocabulary, bulk, grid, rank }: { vocabulary: Vocabulary; bulk: Bulk; grid: Grid; rank: number }) {
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
      aria-label="Cells around the selected token, enlarged"
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
                fill={v("select")}
                stroke={v("select-line")}
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

function Tip({
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
        <dd>{p === 0 ? "below 10⁻⁹" : `${exact ? "" : "≈ "}${prob(p)}`}</dd>
        <dt>why</dt>
        <dd>{CLASS_NAMES[code]}</dd>
      </dl>
    </div>
  );
}

/** Spoken form of a cell. */
const spoken = (id: number, text: string, bulk: Bulk): string =>
  `${text || "empty"}, id ${id}, ${CLASS_NAMES[bulk.provenance[id] ?? 0]}, p ${prob(decodeProb(bulk.probability[id] ?? 0))}`;

export function MaskCanvas({ store, vocabulary, bulk, before, size, stale, hits }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useSignal<{ rank: number; x: number; y: number } | null>(null);
  const focus = useSignal<number | null>(null);
  const focused = useSignal(false);
  const grid = useMemo(() => gridFor(vocabulary.size, size), [vocabulary, size]);
  const margin = useMemo(() => bands(vocabulary, grid), [vocabulary, grid]);
  const theme = useSignal(0);
  const solo = store.solo.value;
  useSignalEffect(() => {
    page().theme.value;
    // the new scheme is in the computed styles one frame later
    requestAnimationFrame(() => {
      theme.value++;
    });
  });
  useLayoutEffect(() => {
    const root = (canvas.current?.getRootNode() as ShadowRoot | undefined)?.querySelector<HTMLElement>(".xg");
    if (!canvas.current || !root) return;
    const only = solo === null ? null : (CLASS_KEYS[solo] ?? null);
    paintMask(canvas.current, { grid, bulk, order: vocabulary.order, palette: paletteOf(root), only, before });
  }, [grid, bulk, before, vocabulary, solo, theme.value]);

  const token = store.selection.value.token;
  const selected = token === null ? null : (vocabulary.rank[token] ?? null);
  const w = grid.columns * grid.cell;
  const h = grid.rows * grid.cell;
  const point = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { x, y, rank: rankAt(grid, x, y) };
  };
  const pick = (rank: number) => store.select({ token: vocabulary.order[rank] as number });
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const here = focus.value ?? selected ?? 0;
    const next = rove(grid, here, event.key);
    if (next !== null) focus.value = next;
    else if (event.key === "Enter" || event.key === " ") pick(here);
    else return;
    event.preventDefault();
  };
  const tip = hover.value;
  const rover = focused.value ? (focus.value ?? selected ?? 0) : null;
  const idAt = (rank: number) => vocabulary.order[rank] as number;
  const centre = selected ?? rover;
  return (
    <div class={stale ? "lens-canvas stale" : "lens-canvas"}>
      <svg class="bands" width="36" height={h} aria-hidden="true">
        {margin.map((band) => (
          <g key={band.y}>
            <path d={`M30 ${band.y + 0.5}h6`} stroke={v("rule-strong")} />
            <text class="mono" x="27" y={Math.max(9, band.y + 4)} text-anchor="end">
              {band.label}
            </text>
          </g>
        ))}
      </svg>
      <div class="lens-stack" style={{ width: w, height: h }}>
        {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: one moves about in this picture by keys of its own */}
        <canvas
          ref={canvas}
          style={{ width: w, height: h }}
          tabIndex={0}
          role="application"
          data-mask
          data-cell={grid.cell}
          data-columns={grid.columns}
          aria-label={`Mask of ${int(vocabulary.size)} tokens in trie order. ${rover !== null ? spoken(idAt(rover), vocabulary.text(idAt(rover)), bulk) : "Arrow keys move, Enter selects."}`}
          onClick={(event) => {
            const { rank } = point(event);
            if (rank === null) return;
            focus.value = rank;
            pick(rank);
          }}
          onMouseMove={(event) => {
            const { rank, x, y } = point(event);
            hover.value = rank === null ? null : { rank, x, y };
          }}
          onMouseLeave={() => {
            hover.value = null;
          }}
          onFocus={(event) => {
            focused.value = (event.currentTarget as HTMLElement).matches(":focus-visible");
          }}
          onBlur={() => {
            focused.value = false;
          }}
          onKeyDown={(event) => {
            focused.value = true;
            keys(event);
          }}
        />
        <svg class="overlay" width={w} height={h} aria-hidden="true">
          {hits.slice(0, 400).map((id) => (
            <Ring key={id} grid={grid} rank={vocabulary.rank[id] as number} kind="hit" />
          ))}
          {selected !== null && <Ring grid={grid} rank={selected} kind="select" />}
          {rover !== null && rover !== selected && <Ring grid={grid} rank={rover} kind="focus" />}
        </svg>
        {tip && (
          <Tip
            store={store}
            id={idAt(tip.rank)}
            bulk={bulk}
            text={vocabulary.text(idAt(tip.rank))}
            at={tip}
            size={Math.max(w, h)}
          />
        )}
        {grid.cell < 5 && centre !== null && <Loupe vocabulary={vocabulary} bulk={bulk} grid={grid} rank={centre} />}
      </div>
    </div>
  );
}
