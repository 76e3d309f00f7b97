// What is asked of a brush and of an explanation: the tokens in a rectangle, layouts that fit.
import { describe, expect, it } from "vitest";
import { type Bulk, bulkOf } from "../src/bulk";
import { cut } from "../src/text";
import { stepAtByte } from "../src/trace";
import { candidateColumns, placeColumns } from "../src/views/chart_view/layout/chart";
import { fitted, overhang, tooWide } from "../src/views/fsm_view/layout/fit";
import { type FsmLayout, fsmGraph } from "../src/views/fsm_view/layout/fsm";
import { toDot } from "../src/views/fsm_view/layout/graphviz";
import { layerLayout } from "../src/views/fsm_view/layout/layers";
import { boxOf, brushed, cellAt, countsOf, mostProbable } from "../src/views/mask_lens/layout/brush";
import { gridFor } from "../src/views/mask_lens/layout/mask";
import type { ExpectedBy, Explanation } from "../src/wire";
import { program, trace } from "./sample";

const by: ExpectedBy = {
  ...{ state: 6, rule: 1, origin: 3, before: "[0-9]", after: "[0-9]*", rule_name: "num" },
  ...{ spans: [[28, 34]], line: 2, column: 10, line_text: "num  ::= [0-9]+ # é" },
};
const why: Explanation = {
  ...{ token_id: 77, bytes: "3578", text: "5x", allowed: false, mechanism: "rejected_by_cache" },
  ...{ reason: "It breaks at byte 2 of 2 (x): expected [0-9].", died_at: 1 },
  walk: [
    { byte: 0x35, alive: true, items: [{ state: 6, rule: 1, origin: 3, before: "", after: "" }] },
    { byte: 0x78, alive: false, items: [] },
  ],
  ...{ expected: [[48, 57]], expected_text: "[0-9]", expected_by: [by], entry: null },
};

describe("the brush", () => {
  const grid = gridFor(300, 288); // 18 cells of 16 px a row
  const order = Uint32Array.from({ length: 300 }, (_, k) => 299 - k);
  const bulk: Bulk = bulkOf(
    Uint8Array.from({ length: 300 }, (_, id) => id % 2),
    Uint8Array.from({ length: 300 }, (_, id) => id % 256),
    null,
  );
  it("covers a rectangle, whichever corner came first", () => {
    expect(grid.columns).toBe(18);
    expect(boxOf(grid, { from: 40, to: 21 })).toEqual({ left: 3, right: 4, top: 1, bottom: 2 });
    expect([...brushed(grid, order, { from: 40, to: 21 })]).toEqual([21, 22, 39, 40].map((rank) => 299 - rank));
  });
  it("ends with the vocabulary", () => expect(brushed(grid, order, { from: 290, to: 305 })).toHaveLength(10));
  it("takes all tokens that share a pixel", () => {
    const pooled = { cell: 1, columns: 10, rows: 10, pooled: 3, n: 300 };
    expect(cellAt(pooled, 7)).toBe(2);
    expect([...brushed(pooled, order, { from: 2, to: 2 })]).toEqual([293, 292, 291]);
  });
  it("counts classes, and lists the most probable first", () => {
    const ids = brushed(grid, order, { from: 0, to: 3 });
    expect(countsOf(bulk, ids).slice(0, 2)).toEqual([2, 2]);
    expect(mostProbable(bulk, Uint32Array.of(5, 200, 7), 2)).toEqual([200, 7]);
  });
});

describe("what has to fit", () => {
  it("cuts names in the middle", () => {
    expect(cut("get_appointment_details", 13)).toBe("get_appo…ails");
    expect([...cut("get_appointment_details", 13)]).toHaveLength(13);
    expect(cut("short", 5)).toBe("short");
    expect(cut("abcdef", 4)).toBe("abc…");
  });
  it("narrows a machine to the box: no node moves past another, none is covered", () => {
    const graph = fsmGraph(program, program.rules[0] as never);
    const layout: FsmLayout = layerLayout(graph);
    const { layout: narrow } = fitted(layout, graph, 220);
    expect(layout.width).toBeGreaterThan(220);
    expect(narrow.width).toBeLessThanOrEqual(220);
    const sorted = (l: FsmLayout) => Object.keys(l.nodes).sort((a, b) => (l.nodes[a]?.x ?? 0) - (l.nodes[b]?.x ?? 0));
    expect(sorted(narrow)).toEqual(sorted(layout));
    for (const [k, id] of sorted(narrow).entries()) {
      const next = sorted(narrow)[k + 1];
      if (next) expect((narrow.nodes[next]?.x ?? 0) - (narrow.nodes[id]?.x ?? 0)).toBeGreaterThan(28);
    }
    expect(fitted(layout, graph, 2000).layout).toBe(layout);
    expect(tooWide(fitted(layout, graph, 40), graph, 40)).toBe(true);
    expect(overhang(layout, graph)).toBe(0);
    expect(toDot(graph, true)).toContain("rankdir=TB");
  });
  it("keeps the byte that is looked at, and the candidate's columns in a narrow cell", () => {
    const long = { ...why, walk: Array.from({ length: 30 }, () => ({ byte: 53, alive: true, items: [] })) };
    const columns = candidateColumns(4, long);
    const at = (keep: number | null) => placeColumns([], columns, 700, keep).map((p) => p.column.column);
    expect(at(null)).toContain(34);
    expect(at(9)).toContain(9);
    expect(at(9)).not.toContain(34);
    const narrow = placeColumns([{ ...columns[0], column: 4, kind: "live" } as never], candidateColumns(4, why), 486);
    expect(narrow.map((p) => p.column.kind)).toEqual(["live", "candidate", "dead"]);
    expect(Math.max(...narrow.map((p) => p.x + p.width))).toBeLessThanOrEqual(486);
  });
  it("finds the decision that stood before a byte", () => {
    expect([0, 1, 2, 3, 4, 9].map((byte) => stepAtByte(trace.steps, byte))).toEqual([0, null, 1, null, 2, null]);
  });
});
