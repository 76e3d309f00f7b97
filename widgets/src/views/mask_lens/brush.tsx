// The brush of the mask: a rectangle drawn by dragging or by shift with the arrow keys, and the list of the tokens in it.

import { type Signal, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { Bulk } from "../../bulk";
import { v } from "../../parts/colour";
import { CLASS_NAMES, CLASS_SHAPES, Glyph } from "../../parts/glyphs";
import { placeIn } from "../../parts/place";
import type { Store } from "../../store";
import { int, plural } from "../../text";
import type { Vocabulary } from "../../vocabulary";
import { type Brush, boxOf, brushed, cellAt, countsOf, mostProbable } from "./layout/brush";
import type { Grid } from "./layout/mask";
import { orderOf, TokenList } from "./legend";

/** pixels a pointer moves before a click becomes a drag */
const SLACK = 4;
const LISTED = 200;

/** What the pointer and the keys do; `shown` is the rectangle as it is drawn, the list follows when the pointer is let go. */
export function useBrush(grid: Grid, brush: Signal<Brush | null>) {
  const drag = useSignal<Brush | null>(null);
  const start = useRef<{ x: number; y: number; cell: number } | null>(null);
  const dragged = useRef(false);
  const last = Math.ceil(grid.n / grid.pooled) - 1;
  const cellUnder = (event: PointerEvent): { x: number; y: number; cell: number } => {
    const { x, y } = placeIn(event);
    const column = Math.max(0, Math.min(grid.columns - 1, Math.floor(x / grid.cell)));
    const row = Math.max(0, Math.min(grid.rows - 1, Math.floor(y / grid.cell)));
    return { x, y, cell: Math.min(last, row * grid.columns + column) };
  };
  return {
    shown: drag.value ?? brush.value,
    begin: (event: PointerEvent) => {
      if (event.button !== 0) return;
      dragged.current = false;
      start.current = cellUnder(event);
    },
    move: (event: PointerEvent) => {
      const from = start.current;
      if (!from) return;
      const to = cellUnder(event);
      if (!drag.value && Math.hypot(to.x - from.x, to.y - from.y) < SLACK) return;
      if (!drag.value) (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      dragged.current = true;
      drag.value = { from: from.cell, to: to.cell };
    },
    end: () => {
      start.current = null;
      if (!drag.value) return;
      brush.value = drag.value;
      drag.value = null;
    },
    /** whether the click that follows a pointer's release ended a drag */
    wasDrag: () => dragged.current,
    extend: (here: number, next: number) => {
      brush.value = { from: brush.value?.from ?? cellAt(grid, here), to: cellAt(grid, next) };
    },
  };
}

export function BrushBox({ grid, brush }: { grid: Grid; brush: Brush }) {
  const { left, top, right, bottom } = boxOf(grid, brush);
  const c = grid.cell;
  const place = { x: left * c - 0.5, y: top * c - 0.5, width: (right - left + 1) * c + 1 };
  return (
    <g fill="none" class="brush">
      <rect {...place} height={(bottom - top + 1) * c + 1} stroke={v("paper")} stroke-width="3.5" />
      <rect {...place} height={(bottom - top + 1) * c + 1} stroke={v("select-line")} stroke-dasharray="4 3" />
    </g>
  );
}

interface BrushListProps {
  store: Store;
  vocabulary: Vocabulary;
  bulk: Bulk;
  grid: Grid;
  brush: Signal<Brush | null>;
  on: Brush;
}
export function BrushList({ store, vocabulary, bulk, grid, brush, on }: BrushListProps) {
  const { ids, counts, listed } = useMemo(() => {
    const all = brushed(grid, vocabulary.order, on);
    return { ids: all, counts: countsOf(bulk, all), listed: mostProbable(bulk, all, LISTED) };
  }, [bulk, vocabulary, grid.columns, grid.pooled, on]);
  return (
    <div class="brushed" data-brushed={ids.length}>
      <p class="brush-head">
        <b>{plural(ids.length, "token")} brushed</b>
        {counts.map(
          (n, code) =>
            n > 0 && (
              <span key={code} class="count" title={CLASS_NAMES[code]} data-class={code}>
                <Glyph shape={CLASS_SHAPES[code] ?? "rejected"} />
                <span class="unseen">{CLASS_NAMES[code]}</span> {int(n)}
              </span>
            ),
        )}
        <button
          type="button"
          class="link xs"
          onClick={() => {
            brush.value = null;
          }}
        >
          clear <kbd>esc</kbd>
        </button>
      </p>
      <TokenList
        store={store}
        ids={listed}
        total={ids.length}
        bulk={bulk}
        text={(id) => vocabulary.text(id)}
        title={orderOf(store)}
      />
    </div>
  );
}
