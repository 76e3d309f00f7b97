// A railroad's drawing: boxes and tracks from a rule's track, within a width. Pure; tested without a browser.
//
// IDEA  Every piece has a baseline: it is entered at its left end and left at its right end, at one height. A sequence that is too
//       wide goes on in rows; within a choice its last row comes back up to the baseline, at the top it just ends there.
//
// Example   "a" ("b" | c)* has three boxes; the choice stands on the baseline with "b", c hangs below, the loop goes under both.
import type { Span, Track } from "../wire";

export interface Box {
  x: number;
  y: number; // of its middle
  w: number;
  kind: "literal" | "class" | "rule" | "other";
  text: string; // as shown: cut if long
  whole: string;
  span: Span;
}
export interface Drawing {
  width: number;
  height: number;
  boxes: Box[];
  tracks: string[]; // SVG paths
  labels: { x: number; y: number; text: string }[];
}
interface Piece {
  w: number;
  up: number; // above the baseline
  down: number; // below it
  draw: (x: number, y: number, on: Drawing) => void;
}

const GLYPH = 7.25; // a character of 12 px monospace
export const BOX = 22;
const GAP = 14;
const ROW = 12; // between what hangs below each other
const SIDE = 18; // where a branch leaves and comes back
const LABEL = 14;
const MOST_SHOWN = 30;
const HALF = BOX / 2;

const line = (x: number, y: number, to: number) => `M${x} ${y}H${to}`;
/** From a baseline to another height and on to the right: two quarter turns. */
const turn = (x: number, y: number, to: number) => {
  const r = to > y ? 6 : -6;
  return `M${x} ${y}q6 0 6 ${r}V${to - r}q0 ${r} 6 ${r}`;
};

function box(track: Track): Piece {
  const whole = track.text ?? "";
  const text = [...whole].length > MOST_SHOWN ? `${[...whole].slice(0, MOST_SHOWN - 1).join("")}…` : whole;
  const w = Math.max(26, Math.round([...text].length * GLYPH) + 16);
  const kind = track.kind as Box["kind"];
  return {
    w,
    up: HALF,
    down: HALF,
    draw: (x, y, on) => on.boxes.push({ x, y, w, kind, text, whole, span: track.span }),
  };
}

const NOTHING: Piece = { w: 20, up: 2, down: 2, draw: (x, y, on) => on.tracks.push(line(x, y, x + 20)) };

/** Rows of at most `width`; a piece wider than that has a row of its own. */
function rowsOf(pieces: readonly Piece[], width: number): Piece[][] {
  const rows: Piece[][] = [[]];
  let w = 0;
  for (const piece of pieces) {
    const row = rows.at(-1) as Piece[];
    if (row.length > 0 && w + GAP + piece.w > width) {
      rows.push([piece]);
      w = piece.w;
    } else {
      row.push(piece);
      w += (row.length > 1 ? GAP : 0) + piece.w;
    }
  }
  return rows;
}
const wide = (row: readonly Piece[]) => row.reduce((w, piece) => w + piece.w, GAP * (row.length - 1));
const high = (row: readonly Piece[], side: "up" | "down") => Math.max(...row.map((piece) => piece[side]));

function drawRow(row: readonly Piece[], x: number, y: number, on: Drawing): number {
  row.forEach((piece, k) => {
    if (k > 0) {
      on.tracks.push(line(x, y, x + GAP));
      x += GAP;
    }
    piece.draw(x, y, on);
    x += piece.w;
  });
  return x;
}

/** Pieces after each other. `ends`: the piece is all there is, so that its last row need not come back up. */
function sequence(pieces: readonly Piece[], width: number, ends = false): Piece & { out?: { x: number; y: number } } {
  if (pieces.length === 0) return NOTHING;
  const rows = rowsOf(pieces, width);
  const first = rows[0] as Piece[];
  if (rows.length === 1)
    return {
      w: wide(first),
      up: high(first, "up"),
      down: high(first, "down"),
      draw: (x, y, on) => void drawRow(first, x, y, on),
    };
  const below = rows
    .slice(1)
    .reduce((sum, row, k) => sum + high(rows[k] as Piece[], "down") + 2 * ROW + high(row, "up"), 0);
  const last = rows.at(-1) as Piece[];
  const inner = Math.max(...rows.map(wide));
  const made: Piece & { out?: { x: number; y: number } } = {
    w: inner + 2 * SIDE + (ends ? 0 : SIDE),
    up: high(first, "up"),
    down: below + high(last, "down"),
    draw: (x0, y0, on) => {
      let y = y0;
      const left = x0 + SIDE;
      const right = left + inner;
      on.tracks.push(line(x0, y0, left));
      rows.forEach((row, k) => {
        const end = drawRow(row, left, y, on);
        if (k === rows.length - 1) {
          if (ends) made.out = { x: end, y };
          else on.tracks.push(`M${end} ${y}H${right + SIDE}q6 0 6 -6V${y0 + 6}q0 -6 6 -6H${x0 + made.w}`);
          return;
        }
        const next = y + high(row, "down") + 2 * ROW + high(rows[k + 1] as Piece[], "up");
        const between = y + high(row, "down") + ROW;
        on.tracks.push(
          `M${end} ${y}H${right + 6}q6 0 6 6V${between - 6}q0 6 -6 6H${x0 + 6}q-6 0 -6 6V${next - 6}q0 6 6 6H${left}`,
        );
        y = next;
      });
    },
  };
  return made;
}

function choice(ways: readonly Piece[]): Piece {
  const inner = Math.max(...ways.map((way) => way.w));
  const first = ways[0] as Piece;
  const down = ways.slice(1).reduce((sum, way, k) => sum + (ways[k] as Piece).down + ROW + way.up, 0);
  return {
    w: inner + 2 * SIDE,
    up: first.up,
    down: down + (ways.at(-1) as Piece).down,
    draw: (x, y0, on) => {
      let y = y0;
      ways.forEach((way, k) => {
        if (k > 0) y += (ways[k - 1] as Piece).down + ROW + way.up;
        const end = x + SIDE + way.w;
        if (k === 0) on.tracks.push(line(x, y, x + SIDE), line(end, y, x + inner + 2 * SIDE));
        else {
          on.tracks.push(turn(x, y0, y), line(x + 12, y, x + SIDE));
          on.tracks.push(line(end, y, x + inner + SIDE + 6), turn(x + inner + SIDE + 6, y, y0));
        }
        way.draw(x + SIDE, y, on);
      });
    },
  };
}

/** A way round a piece, above it: it may be left out. */
function around(piece: Piece): Piece {
  const up = piece.up + ROW;
  return {
    ...piece,
    w: piece.w + 2 * SIDE,
    up,
    draw: (x, y, on) => {
      const right = x + SIDE + piece.w;
      on.tracks.push(line(x, y, x + SIDE), line(right, y, right + SIDE));
      on.tracks.push(turn(x, y, y - up + 2), line(x + 12, y - up + 2, right + 6), turn(right + 6, y - up + 2, y));
      piece.draw(x + SIDE, y, on);
    },
  };
}

/** A way back below a piece, with how often it may be taken. */
function loop(piece: Piece, text: string): Piece {
  const w = Math.max(piece.w, Math.round(text.length * 5.6));
  return {
    w: w + 2 * SIDE,
    up: piece.up,
    down: piece.down + ROW + LABEL,
    draw: (x, y, on) => {
      const inner = x + SIDE + (w - piece.w) / 2;
      const [right, under] = [x + SIDE + w, y + piece.down + ROW - 2];
      on.tracks.push(line(x, y, inner), line(inner + piece.w, y, right + SIDE));
      on.tracks.push(`M${right} ${y}q8 0 8 8V${under - 6}q0 6 -6 6H${x + SIDE - 2}q-6 0 -6 -6V${y + 8}q0 -8 8 -8`);
      on.tracks.push(`M${x + SIDE + w / 2 + 3} ${under - 3.5}l-5 3.5 5 3.5`);
      on.labels.push({ x: x + SIDE + w / 2, y: under + LABEL - 2, text });
      piece.draw(inner, y, on);
    },
  };
}

function pieceOf(track: Track, width: number): Piece {
  const parts = track.parts ?? [];
  const within = (by: number) => Math.max(120, width - by);
  switch (track.kind) {
    case "sequence":
      return sequence(
        parts.map((part) => pieceOf(part, within(3 * SIDE))),
        within(3 * SIDE),
      );
    case "choice":
      return choice(parts.map((part) => pieceOf(part, within(2 * SIDE))));
    case "optional":
      return around(pieceOf(parts[0] as Track, within(2 * SIDE)));
    case "repeat": {
      const part = loop(pieceOf(parts[0] as Track, within(4 * SIDE)), track.text ?? "");
      return track.least === 0 ? around(part) : part;
    }
    default:
      return box(track);
  }
}

/** The whole drawing of a rule, at most `width` wide where its boxes allow. */
export function railroadOf(track: Track, width: number): Drawing {
  const on: Drawing = { width: 0, height: 0, boxes: [], tracks: [], labels: [] };
  const [begin, end] = [22, 22];
  const room = width - begin - end - 4;
  const inner = room - 2 * SIDE;
  const parts = track.kind === "sequence" ? (track.parts ?? []) : [track];
  const pieces = parts.map((part) => pieceOf(part, inner));
  const fits = wide(pieces) <= room;
  const piece = sequence(pieces, fits ? room : inner, true);
  const y = piece.up + 6;
  on.tracks.push(`M4 ${y - 6}v12M8 ${y - 6}v12`, line(8, y, begin));
  piece.draw(begin, y, on);
  const out = piece.out ?? { x: begin + piece.w, y };
  on.tracks.push(line(out.x, out.y, out.x + 14), `M${out.x + 14} ${out.y - 6}v12M${out.x + 18} ${out.y - 6}v12`);
  on.width = Math.ceil(Math.max(begin + piece.w + 4, out.x + 22));
  on.height = Math.ceil(y + piece.down + 6);
  return on;
}
