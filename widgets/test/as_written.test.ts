import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { gated } from "../src/parts/gate";
import type { Store } from "../src/store";
import { applyPush, NOTHING_SELECTED } from "../src/trace";
import { counted, headline } from "../src/views/chart_view/derivation/forest";
import { besideNode, keyOf, MOST_OPEN_NODES, placeForestTree } from "../src/views/chart_view/derivation/forest_layout";
import { dotOf, dotted, isStart } from "../src/views/chart_view/layout/text";
import {
  drawnOf,
  engineOf,
  grammarLine,
  placeIn,
  selectPlace,
  stepIn,
  traced,
  whyIn,
} from "../src/views/chart_view/written";
import { fsmGraph } from "../src/views/fsm_view/layout/fsm";
import { toDot } from "../src/views/fsm_view/layout/graphviz";
import { layerLayout } from "../src/views/fsm_view/layout/layers";
import type { Explanation, ForestTree, Program, Rule, Selection, Step, Trace, TracePush } from "../src/wire";

const GRAMMAR = 'root ::= sum\nsum ::= sum "+" num | num\nnum ::= [0-9]\n';
const state = (id: number, rule: number, before: string, after: string, spans: [number, number][], more = {}) => ({
  ...{ id, rule, before, after, spans, accepting: after === "", scannable: false },
  ...more,
});
const rule = (id: number, name: string, start: number, span: [number, number], more = {}) => ({
  ...{ id, name, start, span, line: id + 1, states: [0, 0] as [number, number], nullable: false },
  ...more,
});
/** as written: sum has two alternatives */
const WRITTEN = {
  root: 0,
  rules: [rule(0, "root", 0, [0, 12]), rule(1, "sum", 1, [13, 40], { starts: [1, 2] }), rule(2, "num", 4, [41, 54])],
  states: [
    state(0, 0, "", "sum", [[9, 12]]),
    state(1, 1, "", 'sum "+" num', [[21, 24]]),
    state(2, 1, "", "num", [[35, 38]]),
    state(3, 1, "sum", '"+" num', [[25, 28]], { scannable: true }),
    state(4, 2, "", "[0-9]", [[49, 54]], { scannable: true }),
  ],
  edges: [],
} as unknown as Program;
/** the engine has written num into sum */
const ENGINE = {
  root: 0,
  rules: [rule(0, "root", 0, [0, 12]), rule(1, "sum", 1, [13, 40])],
  states: [state(0, 0, "", "sum", [[9, 12]]), state(1, 1, "", "[0-9]", [[49, 54]], { scannable: true })],
  edges: [],
} as unknown as Program;
const step = { index: 0, byte_begin: 0, live: [], inner: null, root: null, bytes: "" } as unknown as Step;
const trace = {
  version: 1,
  header: { grammar: { text: GRAMMAR, root: "root" } },
  program: ENGINE,
  steps: [{ ...step, root_as_written: { line: [[0, 3]], is_whole: false, n_others: 0, also: [] } }],
  branches: [],
  chart: { columns: [[[0, 0, 0, -1, -1, -1, -1]]] },
  notes: [],
  as_written: {
    program: WRITTEN,
    note: "",
    chart: {
      columns: [
        [
          [0, 0, 0, -1, -1, -1, -1],
          [1, 0, 1, 0, 0, -1, -1],
          [2, 0, 1, 0, 0, -1, -1],
          [4, 0, 1, 0, 2, -1, -1],
        ],
      ],
    },
  },
} as unknown as Trace;

function storeOf(step: Step | null = null, candidate: Explanation | null = null): Store {
  const selection = signal({ ...NOTHING_SELECTED });
  const select = (parts: Partial<Selection>) => {
    selection.value = { ...selection.peek(), ...parts };
  };
  const known = { step: signal(step), candidate: signal(candidate) };
  return { selection, select, link: { handle: { model: {} } }, ...known } as unknown as Store;
}

describe("a trace as written", () => {
  it("has the other program and chart, and the engine's own again", () => {
    const drawn = drawnOf(trace, "written");
    expect(drawn.program.rules.map((one) => one.name)).toEqual(["root", "sum", "num"]);
    expect(drawn.chart.columns[0]).toHaveLength(4);
    expect(drawnOf(trace, "written")).toBe(drawn);
    expect(engineOf(drawn)).toBe(trace);
    expect(drawnOf(trace, "engine")).toBe(trace);
    expect(engineOf(trace)).toBeNull();
  });
  it("has its own live items and root", () => {
    const drawn = drawnOf(trace, "written");
    const own = stepIn(drawn, trace.steps[0] as Step);
    expect(own.live).toEqual([{ state: 4, origin: 0, rule: 2 }]);
    expect(own.inner).toBe(0);
    expect(own.root?.line).toEqual([[0, 3]]);
    expect(stepIn(trace, trace.steps[0] as Step)).toBe(trace.steps[0]);
  });
  it("leads to the engine's rule and state that read the same place", () => {
    const drawn = drawnOf(trace, "written");
    expect(traced(drawn, 0)).toEqual({ rule: 0, state: 0, mask_entry: null });
    expect(traced(drawn, 4)).toEqual({ rule: 1, state: 1, mask_entry: 1 }); // num is written into sum
  });
  it("finds a state of a literal by its bytes, and one that reads places which were merged", () => {
    const edge = (from: number, byte: number) => ({ from, to: from + 1, ranges: [[byte, byte]] });
    const literal = (spans: [number, number][], n: number, first: number) => ({
      rules: [rule(0, "root", 0, [0, 20])],
      states: Array.from({ length: n }, (_, k) => state(k, 0, "", "", spans, { scannable: true })),
      edges: Array.from({ length: n }, (_, k) => edge(k, first + k)),
    });
    const written = literal([[9, 14]], 4, 97) as unknown as Program;
    const leads = (program: object) => {
      const whole = { ...trace, program, as_written: { ...trace.as_written, program: written } } as unknown as Trace;
      return [0, 1, 2, 3].map((one) => traced(drawnOf(whole, "written"), one).state);
    };
    expect(leads(literal([[9, 14]], 4, 97))).toEqual([0, 1, 2, 3]);
    expect(leads(literal([[2, 19]], 6, 96))).toEqual([1, 2, 3, 4]); // the first to the last of the merged places
    expect(leads(literal([[15, 19]], 4, 97))).toEqual([null, null, null, null]);
  });
  it("keeps a selected rule and state in its own numbers, beside the engine's that views share", () => {
    const drawn = drawnOf(trace, "written");
    const store = storeOf();
    selectPlace(store, drawn, 2, 4);
    expect(store.selection.value).toMatchObject({ rule: 1, state: 1, mask_entry: 1 });
    expect(placeIn(store, drawn)).toMatchObject({ rule: 2, state: 4 });
    expect(placeIn(gated(store).own, drawn)).toMatchObject({ rule: 2, state: 4 }); // in another view
    expect(placeIn(store, trace)).toEqual({ rule: 1, state: 1 });
    store.select({ rule: 0, state: 0 }); // elsewhere
    expect(placeIn(store, drawn)).toMatchObject({ rule: 0, state: 0 });
    store.select({ rule: 1, state: null });
    expect(placeIn(store, drawn)).toEqual({ rule: 1, state: null });
    selectPlace(store, drawn, 2, null); // the engine has no such rule
    expect(store.selection.value.rule).toBeNull();
    expect(placeIn(store, drawn)).toMatchObject({ rule: 2, state: null });
    selectPlace(store, drawn, null, null);
    expect(placeIn(store, drawn).rule).toBeNull();
    selectPlace(store, trace, 1, 1, { byte: 3 });
    expect(store.selection.value).toMatchObject({ rule: 1, state: 1, mask_entry: 1, byte: 3, item: null });
  });
  it("takes a state that reads several places for the one where the text stands, or where another byte was expected", () => {
    const places: [number, number][] = [
      [1, 3],
      [5, 9],
      [12, 14],
    ];
    const written = {
      rules: [rule(0, "root", 0, [0, 20])],
      states: places.map((span, k) => state(k, 0, "", "", [span], { scannable: true })),
      edges: [],
    };
    const merged = { ...written, states: [state(0, 0, "", "", [[1, 14]], { scannable: true })] };
    const chart = { columns: [[[2, 0, 0, -1, -1, -1, -1]]] };
    const whole = { ...trace, program: merged, as_written: { program: written, chart, note: "" } } as unknown as Trace;
    const at = { ...step, live: [{ state: 0, origin: 0, rule: 0 }], root_as_written: null } as unknown as Step;
    const other = { ...step, root_as_written: null } as unknown as Step; // the engine's state is not live there
    const why = { expected_by: [{ state: 0 }], expected_as_written: [{ state: 0 }] } as unknown as Explanation;
    const found = (store: Store) => {
      store.select({ rule: 0, state: 0 });
      return placeIn(store, drawnOf(whole, "written")).state;
    };
    expect(found(storeOf(at))).toBe(2);
    expect(found(storeOf({ ...other, byte_begin: 1 }, why))).toBe(0);
    expect(found(storeOf({ ...other, byte_begin: 1 }))).toBe(1);
  });
  it("has explanations of its own where they were recorded, else none", () => {
    const drawn = drawnOf(trace, "written");
    const why = { walk: [1], expected_by: [2], missing: [3] } as unknown as Explanation;
    expect(whyIn(trace, why)).toBe(why);
    expect(whyIn(drawn, why)).toBeNull();
    const both = { ...why, walk_as_written: [4], expected_as_written: [5], missing_as_written: [6] };
    expect(whyIn(drawn, both as unknown as Explanation)).toMatchObject({ walk: [4], expected_by: [5], missing: [6] });
  });
  it("enters a machine at each alternative of its rule", () => {
    const graph = fsmGraph(WRITTEN, { ...(WRITTEN.rules[1] as Rule), states: [1, 4] });
    expect(graph.starts).toEqual(["s1", "s2"]);
    expect(toDot(graph)).toContain("entry -> s1 [minlen=1]; entry -> s2 [minlen=1];");
    const placed = layerLayout(graph).nodes;
    expect(placed.s1?.x).toBe(placed.s2?.x);
    const engine = fsmGraph(ENGINE, { ...(ENGINE.rules[1] as Rule), states: [1, 2] });
    expect(engine.starts).toEqual(["s1"]);
  });
  it("leads to the line of the grammar", () => {
    const drawn = drawnOf(trace, "written");
    expect(grammarLine(drawn, 3)).toEqual({ line: 2, text: 'sum ::= sum "+" num | num', begin: 12, end: 15 });
  });
  it("begins a rule in each of its alternatives", () => {
    expect([0, 1, 2, 3].map((one) => isStart(WRITTEN, one))).toEqual([true, true, true, false]);
  });
  it("grows with a push, and keeps its program", () => {
    const more = {
      ...{ kind: "trace", keep_steps: 1, steps: [], keep_columns: 1, keep_branches: 0, branches: [], notes: [] },
      columns: [[[1, 0, 2, 0, 0, -1, -1]]],
      as_written: { note: "", chart: { columns: [[[3, 0, 3, 0, 1, 1, 0]]], ways: [] } },
    } as unknown as TracePush;
    const next = applyPush(trace, more);
    expect(next?.as_written?.program).toBe(WRITTEN);
    expect(next?.as_written?.chart.columns.map((column) => column.length)).toEqual([4, 1]);
    const back = applyPush(next, { ...more, as_written: { note: "", chart: { columns: [] } } } as unknown as TracePush);
    expect(back?.as_written?.chart.columns).toHaveLength(1);
  });
});

describe("a dotted item", () => {
  it("keeps what is next to the dot", () => {
    expect(dotted("0123456789", ["abcdefghij"], 13)).toEqual(["…6789", "abcd…"]);
    expect(dotted("0123456789", [""], 8)).toEqual(["…6789", ""]);
    expect(dotted("", ["abcdefghij"], 8)).toEqual(["", "abcd…"]);
    expect(dotted("01", ["abcdefghij"], 9)).toEqual(["01", "abc…"]);
  });
  it("has no spaces round a dot inside a literal", () => {
    expect(dotOf({ before: '"na', after: 'me"', tight: true })).toBe("•");
    expect(dotOf({ before: "", after: "x" })).toBe("• ");
    expect(dotOf({ before: "x", after: "y" })).toBe(" • ");
  });
});

const tree = (nodes: number[][], parts_at: number | null = null) =>
  ({ nodes, parts_at, said: "" }) as unknown as ForestTree;
const place = (one: ForestTree) =>
  placeForestTree(
    one,
    (name) => `r${name}`,
    (begin, end) => "x".repeat(end - begin),
  );

describe("derivations", () => {
  it("are counted in words, however many they are", () => {
    expect(counted("1767263190")).toBe("1,767,263,190");
    expect(counted(`4059${"0".repeat(40)}`)).toBe("4.059 · 10^43");
    const forest = { n_trees: "2", is_infinite: false, note: "", trees: [tree([]), tree([])] };
    expect(headline(forest)).toBe("2 derivations");
    expect(headline({ ...forest, n_trees: "14" })).toBe("2 of 14 derivations");
    expect(headline({ ...forest, n_trees: null })).toContain("not known");
    expect(headline({ ...forest, is_infinite: true })).toContain("infinitely many");
  });
  it("stand over the middle of their parts, and no two overlap", () => {
    const { nodes, width } = place(
      tree([
        [-1, 0, 0, 3, 3, 0, 2, 1],
        [0, 1, 0, 1, 1, 0, 1, 0],
        [1, -1, 0, 1, -1, -1, 1, 0],
        [0, -1, 1, 2, -1, -1, 1, 0],
        [0, 1, 2, 3, 3, 1, 1, 0],
        [4, -1, 2, 3, -1, -1, 1, 0],
      ]),
    );
    const levels = new Map<number, typeof nodes>();
    for (const node of nodes) levels.set(node.y, [...(levels.get(node.y) ?? []), node]);
    for (const level of levels.values())
      for (let k = 1; k < level.length; k++) {
        const [left, right] = [level[k - 1], level[k]] as [(typeof nodes)[0], (typeof nodes)[0]];
        expect(left.x + left.width / 2).toBeLessThan(right.x - right.width / 2);
      }
    for (const node of nodes) expect(node.x + node.width / 2).toBeLessThanOrEqual(width + 1e-9);
    expect(keyOf(nodes[0] as (typeof nodes)[0])).toBe("0.0.3");
    const root = nodes[0] as (typeof nodes)[0];
    expect(besideNode(nodes, root, "ArrowDown").row).toBe(1);
    expect(besideNode(nodes, nodes[1] as typeof root, "ArrowRight").row).toBe(3);
    expect(besideNode(nodes, nodes[1] as typeof root, "ArrowUp")).toBe(root);
    expect(besideNode(nodes, root, "ArrowUp")).toBe(root);
  });
  it("of a large tree show what is round the node at which they part", () => {
    // a chain of rules, each with a leaf; the trees part deep in it
    const nodes: number[][] = [];
    for (let k = 0; k < 100; k++) {
      const parent = nodes.length - 2;
      nodes.push([k === 0 ? -1 : parent, k, 0, 200 - k, 1, k, 1, k === 80 || k === 81 ? 1 : 0]);
      nodes.push([nodes.length - 1, -1, 199 - k, 200 - k, -1, -1, 1, 0]);
    }
    const shown = place(tree(nodes, 80));
    expect(shown.nodes.length).toBeLessThanOrEqual(MOST_OPEN_NODES);
    expect(shown.nodes.find((node) => node.parts)?.rule).toBe(80);
    expect(shown.nodes[0]?.rule).toBe(77);
    expect(shown.nodes.at(-1)?.closed || shown.nodes.some((node) => node.closed)).toBe(true);
  });
});
