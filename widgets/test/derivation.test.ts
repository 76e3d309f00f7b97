import { describe, expect, it } from "vitest";
import read from "../../tests/cases/derivations.json";
import { applyPush, fromHex, groupBy } from "../src/trace";
import { type Branch, decoded, derivation, isBranch, waysSaid } from "../src/views/chart_view/derivation/layout";
import {
  type Box,
  cutoffOf,
  leafText,
  MOST_BOXES,
  neighbour,
  placeTree,
} from "../src/views/chart_view/derivation/places";
import type { ChartItem, SteppedOver, Trace, TreeRoot, WaysRead } from "../src/wire";
import { trace as sample, step } from "./sample";

interface Case {
  program: Trace["program"];
  output: string;
  chart: Trace["chart"];
  roots: Record<string, TreeRoot>;
  trees: Record<string, unknown[]>;
}
const CASES = read as unknown as Record<string, Case>;

function traceOf({ program, output, chart }: Pick<Case, "program" | "output" | "chart">): Trace {
  const edges = program.edges.map((edge) => ({ ...edge, label: "", ranges: [], spans: [] }));
  const all = step(0, "", 0, { bytes: output, n_bytes: output.length / 2 });
  return { ...sample, program: { ...program, edges }, chart, steps: [all] };
}

/** As tests/lab/test_derivation.py writes a tree. */
const plain = (tree: Branch, output: number[]): unknown[] => [
  tree.name,
  tree.begin,
  tree.end,
  tree.after,
  tree.item && [...tree.item],
  tree.nWays,
  [...tree.also],
  tree.parts.map((part) => (isBranch(part) ? plain(part, output) : decoded(output.slice(part.begin, part.end)))),
];

/** `n` pairs `"1,"` under `root ::= item*`, written out as a chart. */
function longTrace(n: number): Trace {
  const columns: ChartItem[][] = [
    [
      [0, 0, 0, -1, -1, -1, -1],
      [2, 0, 1, 0, 0, -1, -1],
    ],
  ];
  for (let k = 0; k < n; k++) {
    const at = 2 * k;
    columns.push([[3, at, 2, at, 1, -1, -1]]);
    columns.push([
      [4, at, 2, at + 1, 0, -1, -1],
      [1, 0, 3, at, k === 0 ? 0 : 1, at + 2, 0],
      [2, at + 2, 1, at + 2, 1, -1, -1],
    ]);
    if (k > 0) columns[at] = [columns[at]?.[0], columns[at]?.[1], columns[at]?.[2]] as ChartItem[];
  }
  for (let j = 2; j < columns.length; j += 2) {
    const next = columns[j + 1]?.[0];
    if (next) next[4] = 2;
  }
  const rule = (id: number, name: string, start: number, end: number) => ({
    id,
    name,
    start,
    states: [start, end],
    nullable: false,
    span: [0, 0],
    line: 1,
  });
  const state = (id: number, of: number, accepting: boolean, after: string) => ({
    id,
    rule: of,
    accepting,
    scannable: of === 1,
    before: "",
    after,
    spans: [],
  });
  const program = {
    rules: [rule(0, "root", 0, 2), rule(1, "item", 2, 5)],
    states: [
      state(0, 0, false, "item"),
      state(1, 0, true, "item"),
      state(2, 1, false, '"1,"'),
      state(3, 1, false, '","'),
      state(4, 1, true, ""),
    ],
    edges: [],
  };
  return traceOf({ program: program as never, output: "312c".repeat(n), chart: { columns } });
}

const text = () => "abc";
const treeOf = (name: string, column: number) => {
  const found = CASES[name] as Case;
  return derivation(traceOf(found), found.roots[column]) as Branch;
};
const boxesOf = (name: string, column: number) => placeTree(treeOf(name, column), column, new Set(), text).boxes;

describe("the derivation tree", () => {
  for (const [name, found] of Object.entries(CASES))
    it(`is Python's at every column: ${name}`, () => {
      const trace = traceOf(found);
      const trees = Object.keys(found.trees);
      expect(trees.length).toBeGreaterThan(1);
      for (const column of trees)
        expect(plain(derivation(trace, found.roots[column]) as Branch, fromHex(found.output))).toEqual(
          found.trees[column],
        );
    });
  it("is none where the chart was not recorded", () => expect(derivation(sample, null)).toBeNull());
  it("has keys that differ, and the same ones when the text grows", () => {
    for (const name of Object.keys(CASES))
      for (const column of Object.keys((CASES[name] as Case).trees)) {
        const keys = boxesOf(name, Number(column)).map((box) => box.key);
        expect(new Set(keys).size).toBe(keys.length);
      }
  });
  it("says the other ways of an item", () => {
    const trace = traceOf(CASES.many as Case);
    const row = trace.chart.ways?.findLast(([column]) => column === 12) as number[];
    const { n, also } = waysSaid(trace, [row[0] as number, row[1] as number]);
    expect(n).toBe(10);
    expect(also).toHaveLength(8);
    for (const words of also) expect(words).toMatch(/^x 0-\d+ \+ x \d+-12$/);
    expect(waysSaid(trace, [0, 0])).toEqual({ n: 0, also: [] });
  });
  it("spells bytes that are no text as Python does", () => {
    expect(decoded([0x61, 0xff, 0xc3, 0xa9, 0xe4, 0xbd])).toBe("a\\xffé\\xe4\\xbd");
    expect(decoded([0xef, 0xbb, 0xbf, 0x61])).toBe("\ufeffa");
  });
});

describe("its places", () => {
  it("span what they matched, and nothing overlaps in a row", () => {
    for (const name of Object.keys(CASES)) {
      const boxes = boxesOf(name, (CASES[name] as Case).output.length / 2);
      for (const box of boxes) {
        const parent = box.parent === null ? null : boxes[box.parent];
        if (!parent) continue;
        expect(box.row).toBe(parent.row + 1);
        expect(box.x).toBeGreaterThanOrEqual(parent.x);
        expect(box.x + box.width).toBeLessThanOrEqual(parent.x + parent.width);
      }
      const rows = groupBy(boxes, (box) => box.row);
      for (const row of rows.values()) {
        const sorted = [...row].sort((a, b) => a.x - b.x);
        sorted.slice(1).forEach((box, k) => {
          expect(box.x).toBeGreaterThanOrEqual((sorted[k] as Box).x + (sorted[k] as Box).width);
        });
      }
    }
  });
  it("stay where they are while the text grows", () => {
    const { output } = CASES.nested as Case;
    for (let column = 1; column < output.length / 2; column++) {
      const [before, after] = [boxesOf("nested", column), boxesOf("nested", column + 1)];
      const now = new Map(after.map((box) => [box.key, box]));
      const stayed = before.filter((box) => box.kind === "branch" && now.has(box.key));
      const still = stayed.filter((box) => now.get(box.key)?.x === box.x && now.get(box.key)?.row === box.row);
      expect(still).toEqual(stayed);
    }
  });
  it("of a long text are few, change by blocks, and say what is folded", () => {
    const long = longTrace(1900);
    let nReads = 0;
    const get = (columns: ChartItem[][], key: string | symbol): unknown => {
      nReads++;
      return Reflect.get(columns, key);
    };
    long.chart.columns = new Proxy(long.chart.columns, { get });
    expect(cutoffOf(3800)).toBe(cutoffOf(3801));
    const whole = (column: number): TreeRoot => ({ line: [[column, 1]], is_whole: true, n_others: 0, also: [] });
    const place = (column: number, opened: string[] = []) =>
      placeTree(derivation(long, whole(column)) as Branch, column, new Set(opened), text);
    const { boxes } = place(3800);
    expect(nReads).toBeGreaterThan(0);
    expect(nReads).toBeLessThan(10 * 3800);
    expect(boxes.length).toBeLessThan(MOST_BOXES);
    const fold = boxes.find((box) => box.kind === "fold") as Box;
    expect([fold.begin, fold.end]).toEqual([0, cutoffOf(3800)]);
    expect(fold.n).toBe(cutoffOf(3800) / 2);
    const xs = (some: readonly Box[]) => new Map(some.map((box) => [box.key, box.x]));
    const [one, two] = [xs(place(3780).boxes), xs(place(3790).boxes)];
    expect([...one].filter(([key, x]) => two.has(key) && two.get(key) !== x)).toEqual([]);
    const more = place(3800, [fold.key]).boxes;
    expect(more.length).toBeGreaterThan(boxes.length);
    const next = more.find((box) => box.kind === "fold") as Box;
    expect(next.n).toBeLessThan(fold.n);
    expect(place(3800, [fold.key, next.key]).boxes.length).toBeGreaterThan(more.length);
  });
  it("pass over levels of a deep text, and show them when they are opened", () => {
    const deep = (opened: string[] = []) => placeTree(treeOf("deep", 40), 40, new Set(opened), text).boxes;
    const shown = deep().find((box) => box.kind === "levels") as Box;
    expect(shown.n).toBe(24);
    expect(deep().filter((box) => box.kind === "branch")).toHaveLength(40 - 24);
    expect(deep([shown.key]).filter((box) => box.kind === "branch")).toHaveLength(40);
  });
  it("are walked by arrows", () => {
    const boxes = boxesOf("sum", 7);
    const go = (from: number, ...keys: string[]) => keys.reduce((at, key) => neighbour(boxes, at, key), from);
    expect(boxes[go(0, "ArrowDown")]?.label).toBe("sum");
    expect(go(0, "ArrowDown", "ArrowUp")).toBe(0);
    expect(go(0, "ArrowUp")).toBe(0);
    const first = go(0, "ArrowDown", "ArrowDown");
    expect(boxes[go(first, "ArrowRight")]?.kind).toBe("leaf");
    expect(go(first, "ArrowRight", "ArrowLeft")).toBe(first);
    expect(go(first, "Home")).toBe(0);
  });
  it("cut a long run of bytes at its beginning", () => expect(leafText("x".repeat(150))).toBe(`…${"x".repeat(119)}`));
});

describe("ways of a trace", () => {
  it("come and go with their columns", () => {
    const push = { keep_steps: 0, steps: [], keep_columns: 2, columns: [], keep_branches: 0, branches: [], notes: [] };
    const old = {
      ...sample,
      chart: {
        columns: sample.chart.columns,
        ways: [
          [1, 0, 1],
          [3, 0, 1],
        ],
      },
    };
    const next = applyPush(old, { ...push, ways: [[2, 0, 5]] } as never);
    expect(next?.chart.ways).toEqual([
      [1, 0, 1],
      [2, 0, 5],
    ]);
    const read = { ...old.chart, ways_read: [[3, 0, 1, []]] as WaysRead[], stepped_over: [[1, 0, 2]] as SteppedOver[] };
    const after = applyPush({ ...old, chart: read }, { ...push, stepped_over: [[2, 1, 2]] } as never)?.chart;
    expect([after?.ways_read, after?.stepped_over]).toEqual([
      [],
      [
        [1, 0, 2],
        [2, 1, 2],
      ],
    ]);
  });
});
