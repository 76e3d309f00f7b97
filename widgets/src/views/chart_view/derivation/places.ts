// Where the nodes of a derivation tree stand, and which are folded. Pure.
//
// IDEA  The text goes from left to right, rules stand below it, the root first: each node spans what it matched. A node begins where its
//       first part begins and its depth is its row, so that a text which grows moves nothing: new nodes come at the right, and an open
//       one grows. Of a long text, what ended a while ago is folded, by whole blocks of bytes, so that this seldom changes; of a deep
//       one, levels in the middle. A reader opens what is folded.
import { type Branch, isBranch, type Leaf, type Part } from "./layout";

export interface Box {
  key: string;
  kind: "branch" | "leaf" | "fold" | "levels" | "wait";
  part: Part | null; // of a fold: the first one
  label: string;
  x: number;
  row: number;
  width: number;
  parent: number | null;
  /** of a fold: how many parts; of levels: how many */
  n: number;
  begin: number;
  end: number | null;
  nWays: number;
}
export interface Places {
  boxes: Box[];
  width: number;
  rows: number;
}

export const GLYPH = 7.25;
const GAP = 6;
/** what ended more than this many bytes ago is folded, in blocks of BLOCK */
const WINDOW = 160;
const BLOCK = 64;
/** levels of the open line, in blocks of LEVELS */
const [MOST_LEVELS, LEVELS, HEAD_LEVELS] = [20, 8, 3];
const MOST_ROWS = 28;
export const MOST_BOXES = 700;
const MOST_GLYPHS = 120;
/** of what an open rule waits for */
const MOST_AWAITED = 48;
/** parts that come when a fold of many is opened */
const MOST_OPENED = 60;

const ended = (part: Part) => part.end ?? Number.POSITIVE_INFINITY;

/** The first byte of what is not folded. */
export function cutoffOf(end: number): number {
  return Math.max(0, Math.floor((end - WINDOW) / BLOCK) * BLOCK);
}

/** The open line below the top of it: how many levels are passed over, and the branch that comes after them. */
function levelsIn(branch: Branch, row: number, length: number): [n: number, next: Branch] | null {
  if (row !== HEAD_LEVELS - 1 || length <= MOST_LEVELS) return null;
  const n = Math.ceil((length - MOST_LEVELS) / LEVELS) * LEVELS;
  let next = branch.inside;
  for (let k = 0; next && k < n; k++) next = next.inside;
  return next ? [n, next] : null;
}

type Planned =
  | { kind: "branch"; part: Branch; parts: Planned[] }
  | { kind: "leaf"; part: Leaf }
  | { kind: "fold"; key: string; parts: readonly Part[] }
  | { kind: "levels"; key: string; n: number; next: Planned; top: Branch };

/** What is shown: the newest first, since there may not be room for all. */
class Plan {
  nBoxes = 0;
  readonly cutoff: number;
  readonly #line: number;
  constructor(
    root: Branch,
    end: number,
    private readonly opened: ReadonlySet<string>,
  ) {
    this.cutoff = cutoffOf(end);
    let n = 0;
    for (let at: Branch | null = root; at; at = at.inside) n++;
    this.#line = n;
  }

  branch(part: Branch, row: number): Planned {
    this.nBoxes++;
    const levels = levelsIn(part, row, this.#line);
    const key = `l${part.key}`;
    if (levels && !this.opened.has(key)) {
      const shown = part.parts.slice(0, -1);
      const next = this.branch(levels[1], row + 2);
      return {
        kind: "branch",
        part,
        parts: [...this.#parts(part, shown, row), { kind: "levels", key, n: levels[0], next, top: part }],
      };
    }
    return { kind: "branch", part, parts: this.#parts(part, part.parts, row) };
  }

  #parts(branch: Branch, parts: readonly Part[], row: number): Planned[] {
    let first = 0;
    while (this.cutoff > 0 && first < parts.length && ended(parts[first] as Part) <= this.cutoff) first++;
    if (first > 0 && parts[first - 1]?.end === branch.begin) first = 0; // they matched nothing: that takes no room
    if (first === 1 && !isBranch(parts[0] as Part)) first = 0; // as short as its fold
    let times = 0;
    while (this.opened.has(`f${branch.key}#${times}`)) times++;
    first = Math.max(0, first - times * MOST_OPENED);
    const key = `f${branch.key}#${times}`;
    const out: Planned[] = [];
    for (let k = parts.length - 1; k >= first; k--) {
      const part = parts[k] as Part;
      const key = `f${part.key}.`;
      if (!isBranch(part)) {
        this.nBoxes++;
        out.unshift({ kind: "leaf", part });
      } else if (part.end !== null && !this.opened.has(key) && (row > MOST_ROWS || this.nBoxes > MOST_BOXES)) {
        this.nBoxes++;
        out.unshift({ kind: "fold", key, parts: [part] });
      } else out.unshift(this.branch(part, row + 1));
    }
    if (first > 0) out.unshift({ kind: "fold", key, parts: parts.slice(0, first) });
    return out;
  }
}

/** A run of bytes as it is shown: of a long one the end, from the cutoff on. */
export function leafText(text: string): string {
  const all = [...text];
  return all.length <= MOST_GLYPHS ? text : `…${all.slice(1 - MOST_GLYPHS).join("")}`;
}

export function placeTree(
  root: Branch,
  end: number,
  opened: ReadonlySet<string>,
  textOf: (leaf: Leaf) => string,
): Places {
  const boxes: Box[] = [];
  let rows = 0;
  const put = (box: Omit<Box, "width" | "n" | "nWays"> & Partial<Box>): Box => {
    const whole = { width: 0, n: 0, nWays: 1, ...box };
    boxes.push(whole);
    rows = Math.max(rows, whole.row + 1);
    return whole;
  };
  const labelled = (label: string, more = 0) => Math.ceil([...label].length * GLYPH) + 12 + more;
  const place = (planned: Planned, x: number, row: number, parent: number | null): Box => {
    const at = { x, row, parent };
    if (planned.kind === "leaf") {
      const { part } = planned;
      const label = leafText(textOf(part));
      return put({
        ...at,
        kind: "leaf",
        part,
        key: part.key,
        label,
        begin: part.begin,
        end: part.end,
        width: labelled(label),
      });
    }
    if (planned.kind === "fold") {
      const [first, last] = [planned.parts[0] as Part, planned.parts.at(-1) as Part];
      const n = planned.parts.length;
      const label = n === 1 && isBranch(first) ? `${first.name} …` : `… ${n} ${n === 1 ? "part" : "parts"}`;
      const where = { key: planned.key, part: first, begin: first.begin, end: last.end };
      return put({ ...at, ...where, kind: "fold", label, n, width: labelled(label) });
    }
    if (planned.kind === "levels") {
      const { key, n, top } = planned;
      const label = `… ${n} levels`;
      const box = put({
        ...at,
        kind: "levels",
        part: top.inside,
        key,
        label,
        n,
        begin: top.inside?.begin ?? 0,
        end: null,
      });
      const next = place(planned.next, x, row + 1, boxes.indexOf(box));
      box.width = Math.max(labelled(label), next.width);
      return box;
    }
    const { part, parts } = planned;
    const { nWays } = part;
    const box = put({
      ...at,
      kind: "branch",
      part,
      key: part.key,
      label: part.name,
      begin: part.begin,
      end: part.end,
      nWays,
    });
    const me = boxes.length - 1;
    let right = x;
    for (const child of parts) right += place(child, right, row + 1, me).width + GAP;
    if (part.after) {
      const label = part.after;
      const wait = put({
        kind: "wait",
        part: null,
        key: `w${part.key}`,
        label,
        x: right,
        row: row + 1,
        parent: me,
        begin: end,
        end: null,
      });
      wait.width = Math.min(labelled(label, 12), MOST_AWAITED * GLYPH);
      right += wait.width + GAP;
    }
    const badge = nWays > 1 ? 22 + String(nWays).length * GLYPH : 0;
    box.width = Math.max(right - GAP - x, labelled(part.name, badge));
    return box;
  };
  const top = place(new Plan(root, end, opened).branch(root, 0), 0, 0, null);
  return { boxes, width: top.width, rows };
}

/** The box that an arrow leads to; the same one where there is none. */
export function neighbour(boxes: readonly Box[], at: number, key: string): number {
  const here = boxes[at] as Box;
  const beside = boxes
    .flatMap((box, k) => (box.row === here.row ? [k] : []))
    .sort((a, b) => (boxes[a]?.x ?? 0) - (boxes[b]?.x ?? 0));
  const place = beside.indexOf(at);
  const child = boxes.findIndex((box) => box.parent === at);
  const to = {
    ArrowUp: here.parent ?? at,
    ArrowDown: child < 0 ? at : child,
    ArrowLeft: beside[place - 1] ?? at,
    ArrowRight: beside[place + 1] ?? at,
    Home: 0,
    End: boxes.findLastIndex((box) => box.end === null && box.kind === "branch"),
  }[key];
  return to === undefined || to < 0 ? at : to;
}
