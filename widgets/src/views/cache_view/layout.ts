// Where the marks of the cache lanes stand. Pure: steps and a width in, positions out.
//
// A cell a step while they fit; beyond that a cell stands for several steps and shows the one that was paid for most: its class is
// the worst of theirs, its figures are that step's own. Lanes, colours and glyphs are those of the tape's legend.
// The words are those of the Python view: one file for both.

import type { CacheClass, MaskEntry, Step, Trace } from "../../wire";
import { words as all } from "../../words";

const words = all.cache;

/** From what costs nothing to what is paid for; the lanes stand in this order. */
export const CACHE_CLASSES: readonly CacheClass[] = ["context_hit", "perfect_hit", "partial_hit", "miss"];
/** room for a lane's name and count */
export const GUTTER = 124;
const MIN_CELL = 5;
const MAX_CELL = 28;

export interface CacheCell {
  /** steps from `first` to before `last`; `step` is the one that is shown, null where none has a mask */
  first: number;
  last: number;
  step: Step | null;
  x: number;
  lane: number | null;
}
export interface CacheLanes {
  cells: CacheCell[];
  cell: number;
  end: number;
  /** how many steps a cell stands for, at most */
  pooled: number;
}

const laneOf = (step: Step): number => (step.cache === null ? -1 : CACHE_CLASSES.indexOf(step.cache));
const isWorse = (a: Step, b: Step): boolean =>
  laneOf(a) > laneOf(b) || (laneOf(a) === laneOf(b) && (a.mask_us ?? 0) > (b.mask_us ?? 0));

export function cacheLanes(steps: readonly Step[], width: number): CacheLanes {
  const room = Math.max(MIN_CELL, width - GUTTER - 8);
  const pooled = Math.max(1, Math.ceil((steps.length * MIN_CELL) / room));
  const n = Math.ceil(steps.length / pooled);
  const cell = Math.min(MAX_CELL, room / Math.max(1, n));
  const cells: CacheCell[] = [];
  for (let k = 0; k < n; k++) {
    const [first, last] = [k * pooled, Math.min(steps.length, (k + 1) * pooled)];
    let shown: Step | null = null;
    for (const step of steps.slice(first, last))
      if (step.cache !== null && (!shown || isWorse(step, shown))) shown = step;
    cells.push({ first, last, step: shown, x: GUTTER + k * cell, lane: shown ? laneOf(shown) : null });
  }
  return { cells, cell, end: GUTTER + n * cell, pooled };
}

/** The step under a point: of a pooled cell the one that is shown, unless the cursor is on another of its steps. */
export function stepAtX(lanes: CacheLanes, x: number): number | null {
  const cell = lanes.cells[Math.floor((x - GUTTER) / lanes.cell)];
  return x < GUTTER || !cell ? null : (cell.step?.index ?? cell.first);
}

export const cellOfStep = (lanes: CacheLanes, step: number): CacheCell | null =>
  lanes.cells[Math.floor(step / lanes.pooled)] ?? null;

export function countsByClass(steps: readonly Step[]): Record<CacheClass, number> {
  const counts = { context_hit: 0, perfect_hit: 0, partial_hit: 0, miss: 0 };
  for (const step of steps) if (step.cache !== null) counts[step.cache]++;
  return counts;
}

/** Steps at which a line of the axis is labelled: a round distance, at least `gap` pixels. */
export function stepTicks(n: number, pixelsPerStep: number, gap = 48): number[] {
  let every = 1;
  for (const nice of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]) {
    every = nice;
    if (nice * pixelsPerStep >= gap) break;
  }
  return Array.from({ length: Math.ceil(n / every) }, (_, k) => k * every);
}

/** A grammar is named by its source's first line; that of a JSON text is a mere bracket, and names nothing. */
export const donorTitle = (id: number, name = ""): string =>
  /[\p{L}\p{N}]/u.test(name) ? `${id}: ${name}` : `grammar ${id}`;

/** Whom an entry was taken over from: id and name; null for one that was built here. */
export function donorOf(entry: Pick<MaskEntry, "cache" | "donor" | "donor_name" | "maker">): string | null {
  if (entry.cache === undefined || entry.cache === "miss" || entry.donor === undefined) return null;
  if (entry.maker === "own") return "this grammar";
  return donorTitle(entry.donor, entry.donor_name);
}

/** Why an entry that was built is not kept for other grammars, by the engine's word. */
export const UNSHARED: Record<string, string> = words.unshared;

/** How a mask was made, by the engine's word, for a mask that was not known. */
export const WAYS: Record<string, string> = words.ways;

/** What each class means. */
export const CLASSES: Record<CacheClass, string> = words.classes;

/** Of a mask that was walked: what the entries beside it are for. */
export const NOT_USED: string = words.not_used;
export const wasWalked = (step: Step): boolean => step.way === "walk" || step.way === "shared_walks";

/** How many of a step's entries an instance found ready in its template. */
export const fromTemplate = (step: Step): number =>
  step.entries.filter((e) => e.cache !== undefined && e.cache !== "miss").length;

/** Why the pool counts nothing of an instance's hits. */
export const templateHint = (trace: Trace): string | null => (trace.linked ? words.template : null);

/** What each figure of the pool counts. */
export const POOL: Record<string, string> = words.pool;

/** Why a step with a mask has no entries. */
export const NO_ENTRIES: string = words.no_entries;

/** What lets small rules be shared that are now written into large ones; null where that is not why. */
export const sharingHint = (trace: Trace): string | null =>
  trace.header.options.rule_inlining !== false &&
  trace.steps.some((s) => s.entries.some((e) => e.unshared === "long_name")) &&
  trace.steps.every((s) => s.entries.every((e) => e.unshared))
    ? "No entry of this grammar is shared: naming its rules costs more than their walks. EngineOptions(rule_inlining=False) keeps small rules apart, which can help."
    : null;

/** Whether a grammar was told to share nothing; the engine's default is to share. */
export const sharesNothing = (options: Record<string, unknown>): boolean => options.cross_grammar_cache === false;
