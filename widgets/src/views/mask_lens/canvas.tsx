// The canvas of the mask with what floats over it: the selected cell, the roving focus, search hits, the tip under the pointer.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Bulk, decodeProb, isXor } from "../../bulk";
import { theme as hostsTheme } from "../../page";
import { v } from "../../parts/colour";
import { CLASS_NAMES } from "../../parts/glyphs";
import { placeIn } from "../../parts/place";
import type { Store } from "../../store";
import { int, prob } from "../../text";
import type { Vocabulary } from "../../vocabulary";
import { BrushBox, useBrush } from "./brush";
import { paletteOf } from "./colours";
import type { Brush } from "./layout/brush";
import { bands, gridFor, rankAt, rove } from "./layout/mask";
import { hasModel, keysOf } from "./legend";
import { Loupe, Ring, Tip } from "./overlay";
import { firstOfRarer, painted, paintMask } from "./paint";

/** Cells smaller than this have a magnifier. */
export const LOUPE_CELL = 5;
export interface CanvasProps {
  store: Store;
  vocabulary: Vocabulary;
  bulk: Bulk;
  /** the class shown alone */
  solo: number | null;
  selected: number | null;
  pick: (id: number) => void;
  /** the box of the picture */
  width: number;
  height: number;
  stale: boolean;
  brush: Signal<Brush | null>;
  hits: readonly number[];
  /** allowed or blocked, and nothing else */
  twoColours: boolean;
}

/** Spoken form of a cell. */
const spoken = (id: number, text: string, bulk: Bulk, modelled: boolean): string => {
  const p = modelled ? `, p ${prob(decodeProb(bulk.probability[id] ?? 0))}` : "";
  return `${text || "empty"}, id ${id}, ${CLASS_NAMES[bulk.provenance[id] ?? 0]}${p}`;
};

export function MaskCanvas({
  store,
  vocabulary,
  bulk,
  solo,
  selected: token,
  pick: select,
  width,
  height,
  stale,
  brush,
  hits,
  twoColours,
}: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useSignal<{ rank: number; x: number; y: number } | null>(null);
  const focus = useSignal<number | null>(null);
  const focused = useSignal(false);
  const grid = useMemo(() => gridFor(vocabulary.size, width, height), [vocabulary, width, height]);
  const margin = useMemo(() => bands(vocabulary, grid), [vocabulary, grid]);
  const theme = useSignal(0);
  const drag = useBrush(grid, brush);
  const modelled = hasModel(store);
  const two = twoColours && solo === null && !isXor(bulk);
  const shown = useMemo(() => painted(bulk, modelled, two), [bulk, modelled, two]);
  const rarer = useMemo(() => firstOfRarer(bulk, vocabulary.order), [bulk, vocabulary]);
  useSignalEffect(() => {
    hostsTheme().value;
    // the new scheme is in the computed styles one frame later
    requestAnimationFrame(() => {
      theme.value++;
    });
  });
  useLayoutEffect(() => {
    const root = (canvas.current?.getRootNode() as ShadowRoot | undefined)?.querySelector<HTMLElement>(".xg");
    if (!canvas.current || !root) return;
    const only = solo === null ? null : (keysOf(bulk)[solo] ?? null);
    paintMask(canvas.current, {
      grid,
      bulk: shown,
      order: vocabulary.order,
      palette: paletteOf(root, theme.value, two),
      only,
    });
  }, [grid, bulk, shown, two, vocabulary, solo, theme.value]);

  const selected = token === null ? null : (vocabulary.rank[token] ?? null);
  const w = grid.columns * grid.cell;
  const h = grid.rows * grid.cell;
  const room = { width: `${w}px`, height: `${h}px` }; // with their unit: where a pixel is two of the screen's, a canvas is twice as large without
  const point = (event: MouseEvent) => {
    const { x, y } = placeIn(event);
    return { x, y, rank: rankAt(grid, x, y) };
  };
  const pick = (rank: number) => select(vocabulary.order[rank] as number);
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = focus.value ?? selected ?? 0;
    const next = rove(grid, here, event.key);
    if (next !== null) {
      focus.value = next;
      if (event.shiftKey) drag.extend(here, next);
    } else if (event.shiftKey) return;
    else if (event.key === "Enter" || event.key === " ") pick(here);
    else return;
    event.preventDefault();
  };
  const tip = hover.value;
  const rover = focused.value ? (focus.value ?? selected ?? 0) : null;
  const idAt = (rank: number) => vocabulary.order[rank] as number;
  const centre = tip?.rank ?? selected ?? rover ?? rarer;
  return (
    <div class={stale ? "lens-canvas stale" : "lens-canvas"}>
      <svg class="bands" width="36" height={h} aria-hidden="true">
        {margin.map((band) => (
          <g key={band.y}>
            <path d={`M30 ${band.y + 0.5}h6`} stroke={v("rule-strong")} />
            <text class="mono end" x="27" y={Math.max(9, band.y + 4)}>
              {band.label}
            </text>
          </g>
        ))}
      </svg>
      <div class="lens-stack" style={room}>
        {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: one moves about in this picture by keys of its own */}
        <canvas
          ref={canvas}
          style={room}
          tabIndex={0}
          role="application"
          data-mask
          data-cell={grid.cell}
          data-columns={grid.columns}
          aria-label={`Mask of ${int(vocabulary.size)} tokens in trie order. ${rover !== null ? spoken(idAt(rover), vocabulary.text(idAt(rover)), bulk, hasModel(store)) : "Arrow keys move, shift with them brushes, Enter selects."}`}
          onPointerDown={drag.begin}
          onPointerMove={drag.move}
          onPointerUp={drag.end}
          onPointerCancel={drag.end}
          onClick={(event) => {
            const { rank } = point(event);
            if (rank === null || drag.wasDrag()) return;
            brush.value = null;
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
          {drag.shown && <BrushBox grid={grid} brush={drag.shown} />}
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
        {grid.cell < LOUPE_CELL && (
          <Loupe
            vocabulary={vocabulary}
            bulk={bulk}
            grid={grid}
            rank={centre}
            isSelected={selected !== null && centre === selected}
          />
        )}
      </div>
    </div>
  );
}
