// What is asked of an explanation and of a brush: missing edges, the text of an issue, the tokens in a rectangle, layouts that fit.
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
import { merged, missingEdges, rangeText } from "../src/views/why_card/layout/edges";
import { issueText, pythonBytes } from "../src/views/why_card/layout/issue";
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

describe("missing edges", () => {
  it("joins ranges that touch, in order", () => {
    expect(
      rangeText([
        [0x5d, 0x7f],
        [0x20, 0x21],
        [0x22, 0x22],
        [0x23, 0x5b],
        [0x0a, 0x0a],
      ]),
    ).toBe("0A 20-5B 5D-7F");
    expect(
      merged([
        [1, 9],
        [2, 3],
      ]),
    ).toEqual([[1, 9]]);
  });
  it("names the state, and the bytes it has edges for", () => {
    expect(missingEdges(program, why)).toEqual([{ state: 6, rule: 1, ranges: [[48, 57]] }]);
    expect(missingEdges(program, { ...why, died_at: null })).toEqual([]);
  });
});

describe("the text of an issue", () => {
  it("writes bytes as Python does", () => {
    expect(pythonBytes([0x61, 0x27, 0x0a, 0x00, 0xc3])).toBe(String.raw`b"a'\n\x00\xc3"`);
    expect(pythonBytes([0x27, 0x22, 0x5c])).toBe(String.raw`b'\'"\\'`);
  });
  it("says what was asked, where it died, who expected what, and how to see it again", () => {
    const text = issueText(trace, trace.steps[2] as never, why);
    expect(text).toContain("## Why is token 77 b'5x' blocked?");
    expect(text).toContain("- died at: byte 5, 78, 2 of 2 asked");
    expect(text).toContain("- num·1 has edges [30-39] and none for 78");
    expect(text).toContain("  line 2:10: `num  ::= [0-9]+ # é`");
    expect(text).toContain("assert matcher.accept_string(b'ab:4')");
    expect(text).toContain("grammar = r'''root ::= \"ab:\" num\n");
    expect(text).toContain("xgr.GrammarCompiler(info)\n");
  });
  it("names the options that are not the usual ones, another root, and typed bytes", () => {
    const header = {
      ...trace.header,
      options: { minimize: false, determinize: true },
      grammar: { text: "a'", root: "a" },
    };
    const text = issueText({ ...trace, header }, trace.steps[2] as never, { ...why, token_id: null });
    expect(text).toContain("xgr.EngineOptions(minimize=False)");
    expect(text).toContain("root_rule_name='a'");
    expect(text).toContain(`grammar = r"""a'"""`);
    expect(text).toContain("matcher.explain(data=b'5x')");
  });
  it("makes an instance of a template again, and names slot and argument", () => {
    const template = {
      ...{ kind: "ebnf" as const, text: "root ::= $x", root: "root", options: {}, slots: [], obstacles: [] },
      arguments: { x: { $bytes: "ff" }, y: [{ a: true, b: null }], z: { $value: { $k: 'é"' } } },
      ...{ n_states: 1, compile_us: 1, masks_us: null, instantiate_us: 1 },
    };
    const asked = { ...why, expected_by: [{ ...by, argument: "/sections/3/id" }] };
    const text = issueText({ ...trace, header: { ...trace.header, template } }, trace.steps[2] as never, asked);
    expect(text).toContain("  slot `$id`, argument /sections/3/id\n");
    expect(text).toContain("template = xgr.Template.from_ebnf(text)\n");
    expect(text).toContain(
      'arguments = {"x": bytes.fromhex("ff"), "y": [{"a": True, "b": None}], "z": {"$k": "é\\""}}\n',
    );
    expect(text).toContain("compiled = compiler.compile_template(template).instantiate(**arguments)\n");
    const json = { ...template, kind: "json_schema" as const, options: { indent: 2, any_whitespace: false } };
    const schema = issueText({ ...trace, header: { ...trace.header, template: json } }, trace.steps[2] as never, asked);
    expect(schema).toContain("xgr.Template.from_json_schema(text, indent=2, any_whitespace=False)\n");
  });
  it("gives a template that is spelled in tokens the ids of its texts, and names the argument of a token", () => {
    const options = { spelling: "tokens", encode: { "<p>": [7, 9], $: [3] } };
    const template = {
      ...{ kind: "ebnf" as const, text: 'top ::= "<p>" $x', root: "top", options, slots: [], obstacles: [] },
      ...{ arguments: { x: "$" }, n_states: 1, compile_us: 1, masks_us: null, instantiate_us: 1 },
    };
    const asked = {
      ...why,
      expected_by: [],
      expected_tokens: [
        { ...by, argument: "/x", tokens: "x" },
        { ...by, argument: "/x", tokens: "x" },
      ],
    };
    const text = issueText({ ...trace, header: { ...trace.header, template } }, trace.steps[2] as never, asked);
    expect(text).toContain(
      '(text, root_rule_name="top", spelling="tokens", encode={"<p>": [7, 9], "$": [3]}.__getitem__)\n',
    );
    expect(text.split("  slot `$x`, argument /x\n").length).toBe(2);
  });
});

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
