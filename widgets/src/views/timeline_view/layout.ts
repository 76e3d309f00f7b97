// Where the bars of the timeline stand. Pure: steps in, positions on one axis of worked time out.
//
// Between two decisions a session may rest for minutes, so each step is a block of its own length, from the first of its lanes to the
// last, and blocks stand side by side. Inside a block all times are as they were: what overlaps here, overlapped.
//   a pass of 2 ms that hides a mask of 0.1 ms:  one block of 2 ms, no wait
//   the same, one after the other:               one block of 2.1 ms, a wait of 0.1 ms
import type { Header, Lane, Step } from "../../wire";

export const GUTTER = 56;
export const ROWS = ["model", "mask", "wait", "apply"] as const;
export type Row = (typeof ROWS)[number];

export interface Block {
  index: number;
  /** on the axis of worked time, ns */
  begin: number;
  end: number;
  /** by row, on the same axis */
  bars: Record<Row, Lane[]>;
  /** the compilation, in the block of the prompt */
  compile: Lane | null;
}

/** The parts of a lane that another does not cover. */
export function uncovered(lane: Lane, other: Lane): Lane[] {
  const parts: Lane[] = [
    [lane[0], Math.min(lane[1], other[0])],
    [Math.max(lane[0], other[1]), lane[1]],
  ];
  return parts.filter(([begin, end]) => begin < end);
}

export function timeline(steps: readonly Step[], header: Header): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  for (const { index, lanes } of steps) {
    const compile = index === 0 ? (header.compile_lane ?? null) : null;
    const { model = null, mask = null, apply = null, sample = null } = lanes ?? {};
    const known = [model, mask, apply, compile].filter((lane) => lane !== null);
    const first = Math.min(...known.map(([begin]) => begin));
    const shift = at - first;
    const move = ([begin, end]: Lane): Lane => [begin + shift, end + shift];
    const some = (...of: (Lane | null)[]) => of.filter((lane) => lane !== null).map(move);
    const last = known.length > 0 ? Math.max(...known.map(([, end]) => end)) + shift : at;
    const draw = sample ? sample[1] - sample[0] : 0; // it may come long after: it stands where the mask was put on
    const bars = {
      model: some(model),
      mask: some(mask),
      wait: mask && model ? uncovered(mask, model).map(move) : [],
      apply: apply ? some([apply[0], apply[1] + draw]) : [],
    };
    const end = last + draw;
    blocks.push({ index, begin: at, end, bars, compile: compile && move(compile) });
    at = end;
  }
  return blocks;
}

/** The block at a time, or the nearest. */
export function blockAt(blocks: readonly Block[], ns: number): Block | null {
  let [lo, hi] = [0, blocks.length - 1];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if ((blocks[mid] as Block).end <= ns) lo = mid + 1;
    else hi = mid;
  }
  return blocks[lo] ?? null;
}

/** A window of the axis: `from` for `span` nanoseconds. */
export interface Window {
  from: number;
  span: number;
}

/** The window moved and cut to the axis; a span of 0 means all of it. */
export function within(blocks: readonly Block[], { from, span }: Window): Window {
  const all = Math.max(1, blocks.at(-1)?.end ?? 1);
  const width = span > 0 ? Math.min(all, Math.max(span, 1000)) : all;
  return { from: Math.max(0, Math.min(from, all - width)), span: width };
}

/** The window with a block in sight: unmoved where it is there or fills the window, else with the block in its middle. */
export function showing(blocks: readonly Block[], window: Window, index: number): Window {
  const now = within(blocks, window);
  const block = blocks[index];
  const inside = (t: number) => t >= now.from && t <= now.from + now.span;
  if (!block || (inside(block.begin) && inside(block.end))) return now;
  if (block.begin <= now.from && block.end >= now.from + now.span) return now;
  return within(blocks, { from: (block.begin + block.end - now.span) / 2, span: now.span });
}

/** One path for all bars of a row that are in sight; a bar is seen where its block has room, however short it was. */
export function barsPath(blocks: readonly Block[], row: Row, window: Window, width: number, y: number, h: number) {
  const scale = Math.max(1, width - GUTTER) / window.span;
  let path = "";
  for (const block of blocks) {
    if (block.end < window.from || block.begin > window.from + window.span) continue;
    const least = (block.end - block.begin) * scale >= 8 ? 1.5 : 0.2;
    for (const [begin, end] of block.bars[row]) {
      const x = GUTTER + Math.max(0, begin - window.from) * scale;
      const right = Math.min(width, GUTTER + (end - window.from) * scale);
      if (right < GUTTER || x > width) continue;
      path += `M${x.toFixed(1)} ${y}h${Math.max(least, right - x).toFixed(1)}v${h}H${x.toFixed(1)}Z`;
    }
  }
  return path;
}

/** Round times on the axis, at least `gap` pixels apart. */
export function timeTicks(window: Window, width: number, gap = 72): number[] {
  const least = (window.span * gap) / Math.max(1, width - GUTTER);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const every = power * ([1, 2, 5, 10].find((n) => n * power >= least) ?? 10);
  const ticks: number[] = [];
  for (let t = Math.ceil(window.from / every) * every; t <= window.from + window.span; t += every) ticks.push(t);
  return ticks;
}
