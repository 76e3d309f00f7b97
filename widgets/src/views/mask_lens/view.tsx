// MaskLens: the whole vocabulary in one picture. Hue and shape say how a token was decided, lightness how much the model wants it.
//
// Reader sees  one cell a token in trie order, counts and mass by class, search. Python -> browser: provenance and probability bytes of
//              a step, the vocabulary once a page. Browser -> Python: the selected token; which step's bytes are wanted.
import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useContext, useMemo, useRef } from "preact/hooks";
import { notRecorded } from "../../answers";
import { type Bulk, isAllowed, isXor } from "../../bulk";
import { Icon } from "../../parts/glyphs";
import { PaneContext } from "../../parts/pane";
import { Empty, Panel, Unrecorded, useWidth } from "../../parts/small";
import { useMasks } from "../../parts/watched";
import type { Store } from "../../store";
import { int } from "../../text";
import type { PanelProps } from "../../view";
import type { Vocabulary } from "../../vocabulary";
import { BrushList } from "./brush";
import { LOUPE_CELL, MaskCanvas } from "./canvas";
import type { Brush } from "./layout/brush";
import { type Grid, gridFor, tokensOfClass } from "./layout/mask";
import { hasModel, keysOf, Legend, orderOf, TokenList } from "./legend";
import { Modes, useXor, XorReadout } from "./xor";

interface LensLayout {
  /** of the picture */
  width: number;
  height: number;
  beside: boolean;
}
const square = (size: number, beside: boolean): LensLayout => ({ width: size, height: size, beside });
/** Where the picture and its legend stand, by the width of the panel. */
export function lensLayout(width: number): LensLayout {
  if (width >= 900) return square(512, true);
  if (width > 640) return square(384, true);
  return square(width >= 552 ? 512 : width >= 424 ? 384 : width >= 296 ? 256 : Math.max(96, width - 40), false);
}
/** Beside the picture: the first bytes. */
const MARGIN = 36;
/** Above and below it in a pane: head, insets, the row of the legend, the magnifier of small cells. */
const AROUND = 33 + 16 + 28;
const LOUPE = 60;
/** In a pane the picture takes the room that there is; the legend is a row below it. */
export function lensInPane(n: number, pane: { width: number; height: number }): LensLayout {
  const width = Math.max(96, pane.width - 16 - MARGIN);
  const whole = Math.max(96, pane.height - AROUND);
  const isSmall = gridFor(n, width, whole).cell < LOUPE_CELL;
  return { width, height: isSmall ? Math.max(96, whole - LOUPE) : whole, beside: false };
}

const Search = ({ query, total }: { query: { value: string }; total: number | null }) => (
  <label class="field search">
    <Icon name="search" />
    <input
      type="search"
      placeholder="text, id or /bytes/"
      aria-label="Search the vocabulary: text, id or /bytes/"
      data-key="/"
      value={query.value}
      onInput={(event) => {
        query.value = event.currentTarget.value;
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") query.value = "";
      }}
    />
    {total === null ? <kbd>/</kbd> : <span class="xs faint">{int(total)}</span>}
  </label>
);

const ShadeKey = () => (
  <span class="shade-key xs faint" title="Lightness: the model's probability, log scale">
    p &lt; 10⁻⁹
    {[0.16, 0.4, 0.7, 1].map((s) => (
      <i key={s} style={{ "--s": s }} />
    ))}
    1
  </span>
);

const TwoKey = () => (
  <span class="two-key xs faint">
    <i class="allowed" /> allowed <i class="blocked" /> blocked
  </span>
);

/** The mask of the step under the cursor; until it arrives, the one before, in grey. */
function useBulk(store: Store): { bulk: Bulk | null; stale: boolean; step: number } {
  const shown = useRef<Bulk | null>(null);
  useMasks(store, () => {
    const at = store.step.value?.index ?? 0;
    return store.xor.value && at > 0 ? [at, at - 1] : [at];
  });
  const masks = store.link.bulk.value;
  const glance = store.preview.value;
  const step = glance !== null && masks.has(glance) ? glance : (store.step.value?.index ?? 0);
  const now = masks.get(step) ?? null;
  const n = store.link.trace.value?.header.vocab_size;
  if (now) shown.current = now;
  const kept = shown.current?.provenance.length === n ? shown.current : null;
  return { bulk: now ?? kept, stale: now === null, step };
}

interface ListsProps {
  store: Store;
  vocabulary: Vocabulary;
  bulk: Bulk;
  query: string;
  hits: number[];
  table: boolean;
  brush: Signal<Brush | null>;
  grid: Grid;
  always: boolean;
}
function Lists({ store, vocabulary, bulk, query, hits, table, brush, grid, always }: ListsProps) {
  const limit = table ? 200 : 10;
  const solo = store.solo.value;
  const text = (id: number) => vocabulary.text(id);
  const [keys, two] = [keysOf(bulk), isXor(bulk)];
  const classes = useMemo(() => keys[solo ?? -1] ?? keys.slice(0, two ? 2 : 9).flat(), [keys, solo, two]);
  const listed = (solo !== null || table || always || two) && !query && brush.value === null;
  const ids = useMemo(() => (listed ? tokensOfClass(bulk, classes, limit) : []), [listed, bulk, classes, limit]);
  if (query) {
    const title =
      hits.length === 500
        ? "the first 500 tokens that hold these bytes"
        : `${int(hits.length)} tokens hold these bytes`;
    return (
      <TokenList store={store} ids={hits.slice(0, limit)} total={hits.length} bulk={bulk} text={text} title={title} />
    );
  }
  if (brush.value)
    return <BrushList store={store} vocabulary={vocabulary} bulk={bulk} grid={grid} brush={brush} on={brush.value} />;
  if (!listed) return null;
  const total = classes.reduce((n, code) => n + (bulk.counts[code] ?? 0), 0);
  return (
    <TokenList
      store={store}
      ids={ids}
      total={total}
      bulk={bulk}
      text={text}
      title={
        solo === null
          ? `${two ? "allowed by one alone, " : ""}${orderOf(store)}`
          : `this class alone, ${orderOf(store)}`
      }
    />
  );
}

export function MaskLens({ store }: PanelProps) {
  const [box, width] = useWidth();
  const query = useSignal("");
  const table = useSignal(false);
  const twoColours = useSignal(false);
  const vocabulary = store.link.vocabulary.value;
  const brush = useSignal<Brush | null>(null);
  const { bulk: mask, stale, step } = useBulk(store);
  const { xor, beside: other, says } = useXor(store, mask, step);
  const bulk = xor ?? mask;
  const previewed = step !== store.step.value?.index;
  const hits = useComputed(() =>
    query.value && store.link.vocabulary.value ? store.link.vocabulary.value.search(query.value) : [],
  );
  const pane = useContext(PaneContext);
  const nTokens = store.link.trace.value?.header.vocab_size ?? 1;
  const isInPane = pane?.height != null;
  const {
    width: across,
    height: down,
    beside,
  } = pane?.height != null ? lensInPane(nTokens, { width: pane.width, height: pane.height }) : lensLayout(width);
  const total = query.value ? hits.value.length : null;
  const n = mask ? mask.counts.reduce((sum, count, code) => sum + (isAllowed(code) ? count : 0), 0) : 0;
  const shaded = !xor && !twoColours.value && hasModel(store);
  const readout = store.xor.value ? (
    <XorReadout xor={xor} says={says} step={step} />
  ) : (
    bulk && (
      <>
        <b class="ink">{int(n)}</b> of {int(bulk.provenance.length)} may come next at step {step}
        {previewed && bulk && ", under the pointer"}
      </>
    )
  );
  const ready = bulk && vocabulary && vocabulary.size === bulk.provenance.length;
  const lists = ready && (
    <Lists
      store={store}
      vocabulary={vocabulary}
      bulk={bulk}
      query={query.value}
      hits={hits.value}
      table={table.value}
      brush={brush}
      grid={gridFor(vocabulary.size, across, down)}
      always={beside && width > 900}
    />
  );
  return (
    <Panel
      readout={readout}
      tools={
        <>
          {isInPane && <Search query={query} total={total} />}
          <Modes store={store} beside={other} twoColours={twoColours} />
        </>
      }
      table={table.value}
      onTable={() => {
        table.value = !table.value;
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: escape drops the brush wherever in the panel it is pressed */}
      <div
        class="body"
        ref={box}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || brush.value === null) return;
          brush.value = null;
          event.preventDefault();
        }}
      >
        {!ready && (
          <Empty title="No mask yet">
            {store.link.line.value === "offline" ? (
              <Unrecorded
                of={notRecorded(
                  bulk ? "The text of this vocabulary's tokens" : "The mask of this step",
                  "from xg2lab.widgets import MaskLens",
                  `session.select(step=${step}); MaskLens(session)`,
                )}
              />
            ) : (
              "Loading the vocabulary and the mask of this step."
            )}
          </Empty>
        )}
        {ready && width > 0 && (
          <div class={beside ? "lens beside" : "lens"}>
            {!beside && !isInPane && (
              <div class="lens-tools">
                <Search query={query} total={total} />
                {shaded && <ShadeKey />}
                {twoColours.value && !xor && <TwoKey />}
              </div>
            )}
            {table.value ? (
              lists
            ) : (
              <MaskCanvas
                store={store}
                vocabulary={vocabulary}
                bulk={bulk}
                solo={store.solo.value}
                selected={store.selection.value.token}
                pick={(token) => store.select({ token })}
                width={across}
                height={down}
                stale={stale}
                brush={brush}
                hits={hits.value}
                twoColours={twoColours.value}
              />
            )}
            <div class="lens-side">
              {beside && <Search query={query} total={total} />}
              <Legend solo={store.solo} bulk={bulk} hasWords={!isInPane || across > 900} />
              {isInPane && shaded && across > 480 && <ShadeKey />}
              {isInPane && twoColours.value && !xor && <TwoKey />}
              {beside && shaded && <ShadeKey />}
              {beside && twoColours.value && !xor && <TwoKey />}
              {!table.value && lists}
            </div>
          </div>
        )}
      </div>
    </Panel>
  );
}
