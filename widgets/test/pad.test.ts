import { describe, expect, it } from "vitest";
import { countText, cutAtByte, isAt, placeIn } from "../src/editor/examples";
import { heatLevel, heatOf, type Measure } from "../src/editor/heat";
import { offsetsOf } from "../src/editor/offsets";
import { BOX, railroadOf } from "../src/editor/railroad_layout";
import { trackText } from "../src/editor/railroad_text";
import { nameAt, ruleAround, rulesOf, runsOf } from "../src/editor/spelling";
import type { BenchRow, ChartItem, Track } from "../src/wire";
import { trace as sample, step } from "./sample";

describe("places of a text", () => {
  it("go from bytes to units and back, never into a pair", () => {
    const text = "aé😀z";
    const { unit, byte } = offsetsOf(text);
    expect([0, 1, 3, 7, 8].map(unit)).toEqual([0, 1, 2, 4, 5]);
    expect([0, 1, 2, 4, 5].map(byte)).toEqual([0, 1, 3, 7, 8]);
    expect(text.slice(unit(3), unit(7))).toBe("😀");
  });
  it("are the same in ASCII, and never past the end", () => {
    expect([0, 3, 9].map(offsetsOf("abc").unit)).toEqual([0, 3, 3]);
  });
});

describe("spelling", () => {
  const text = 'root ::= item ("," item)* # no item\nitem ::= [^a-z"] | \'item\'\nx[lazy] ::= root';
  const runs = runsOf(text, "ebnf");
  const inks = (ink: string) => runs.filter((run) => run.ink === ink).map(({ from, to }) => text.slice(from, to));
  it("tells definitions from uses, and neither from what literals and comments say", () => {
    expect(inks("definition")).toEqual(["root", "item", "x"]);
    expect(inks("reference")).toEqual(["item", "item", "root"]);
    expect(inks("comment")).toEqual(["# no item"]);
    expect(inks("literal")).toEqual(['","', "'item'"]);
  });
  it("knows uses and where each rule ends", () => {
    const rules = rulesOf(text, runs, "ebnf");
    expect(rules.uses.get("item")).toHaveLength(2);
    expect(ruleAround(rules, text.indexOf("'item'"))).toBe("item");
    expect(nameAt(text, runs, text.indexOf("item") + 2, "ebnf")?.name).toBe("item");
    expect(nameAt(text, runs, text.indexOf("::="), "ebnf")).toBeNull();
  });
  it("reads on after a literal that is not closed", () => {
    const broken = 'root ::= "abc\nitem ::= "x"';
    expect(rulesOf(broken, runsOf(broken, "ebnf"), "ebnf").definitions.has("item")).toBe(true);
  });
  it("makes keys of JSON heavy, and has Lark's marks aside", () => {
    expect(runsOf('{"a": "b"}', "json_schema").map((run) => run.ink)).toContain("key");
    const lark = "?start: word+\nword: /[a-z]+/ // word\n";
    const rules = rulesOf(lark, runsOf(lark, "lark"), "lark");
    expect([...rules.definitions.keys()]).toEqual(["start", "word"]);
    expect(rules.uses.get("word")).toHaveLength(1);
  });
});

describe("a railroad", () => {
  const leaf = (kind: Track["kind"], text: string): Track => ({ kind, text, span: [0, 1] });
  const of = (kind: Track["kind"], ...parts: Track[]): Track => ({ kind, parts, span: [0, 1] });
  const list = of("sequence", leaf("literal", "["), {
    ...of("repeat", leaf("rule", "item")),
    text: "1 or more",
    least: 1,
  });
  const words = of("sequence", ...Array.from({ length: 30 }, (_, k) => leaf("rule", `rule_${k}`)));
  const inside = (drawing: ReturnType<typeof railroadOf>) =>
    drawing.boxes.every(
      (b) => b.x >= 0 && b.x + b.w <= drawing.width && b.y - BOX / 2 >= 0 && b.y + BOX / 2 <= drawing.height,
    );
  it("keeps every box within the drawing, and apart from the others", () => {
    for (const track of [list, words, of("choice", words, list, leaf("class", "[0-9]")), of("optional", words)])
      for (const width of [240, 380, 720]) {
        const drawing = railroadOf(track, width);
        expect(inside(drawing)).toBe(true);
        for (const [k, a] of drawing.boxes.entries())
          for (const b of drawing.boxes.slice(k + 1))
            expect(a.x + a.w <= b.x || b.x + b.w <= a.x || Math.abs(a.y - b.y) >= BOX).toBe(true);
      }
  });
  it("goes on in rows where the width ends", () => {
    expect(railroadOf(words, 400).width).toBeLessThanOrEqual(400);
    expect(railroadOf(words, 400).height).toBeGreaterThan(railroadOf(words, 900).height);
  });
  it("says in words what it draws", () => {
    expect(trackText(of("optional", list))).toBe("([, then (item) 1 or more, or nothing)");
  });
});

const row = (text: string, known: Partial<BenchRow> = {}): BenchRow => ({
  row_id: 0,
  text,
  should_match: true,
  origin: "",
  verdict: "match",
  agrees: true,
  died_at: null,
  expected: "",
  for_example: "",
  rule: "",
  line: null,
  judged_by: 1,
  us: 1,
  ...known,
});

describe("examples", () => {
  it("are cut at the byte they died at", () => {
    expect(cutAtByte(row("éx!", { died_at: 3 }))).toEqual({ before: "éx", dead: "!", after: "" });
    expect(cutAtByte(row("abc"))).toEqual({ before: "abc", dead: "", after: "" });
    expect(cutAtByte(row("aaaabcd", { died_at: 5 }), 2).before).toBe("…ab");
  });
  it("are counted and filtered by what they say", () => {
    const rows = [
      row("a"),
      row("b", { agrees: false, verdict: "incomplete" }),
      row("c", { agrees: null, verdict: null }),
    ];
    expect(countText(rows)).toBe("1 of 3 disagree");
    expect(countText([row("a")])).toBe("all 1 agree");
    expect(countText([row("a", { agrees: null })])).toBe("");
    expect(rows.filter((one) => isAt(one, "disagree"))).toHaveLength(1);
    expect(rows.filter((one) => isAt(one, "incomplete"))).toHaveLength(1);
  });
  it("lead to a byte of the session's output, if it is the same up to there", () => {
    const steps = [step(0, "ab", 0), step(1, "cd", 2), step(2, "", 4, { kind: null })];
    expect(placeIn(steps, row("abcd"))).toEqual({ step: 1, byte: 3 });
    expect(placeIn(steps, row("abX", { died_at: 2, verdict: "rejected" }))).toEqual({ step: 1, byte: 2 });
    expect(placeIn(steps, row("abX"))).toBeNull();
    expect(placeIn(steps, row("abcdef"))).toBeNull();
  });
});

describe("heat", () => {
  it("of masks belongs to the region in which the innermost item waits", () => {
    const regions = [
      { name: "root", begin: 0, end: 18 },
      { name: "num", begin: 19, end: 34 },
    ];
    const steps = [
      step(0, "ab:", 0, { mask_us: 5, cache: "miss", inner: 0, live: [{ state: 0, rule: 0, origin: 0 }] }),
      step(1, "4", 3, {
        mask_us: 700,
        cache: "perfect_hit",
        inner: 1,
        live: [
          { state: 3, rule: 0, origin: 0 },
          { state: 6, rule: 1, origin: 3 },
        ],
      }),
      step(2, "", 4, { mask_us: null }),
    ];
    const told = (measure: Measure) =>
      heatOf({ ...sample, steps }, regions, measure).map(({ name, value, level, short }) => [
        name,
        value,
        level,
        short,
      ]);
    expect(told("time")).toEqual([
      ["num", 700, 4, "700 µs"],
      ["root", 5, 1, "5.0 µs"],
    ]);
    expect(told("misses")).toEqual([["root", 1, 1, "1 of 1"]]);
  });
  it("of coverage is the part of a rule's states that an item was in, the least first", () => {
    const regions = [
      { name: "root", begin: 0, end: 18 },
      { name: "num", begin: 19, end: 34 },
    ];
    const columns = [[[0, 0, 0, -1, -1, -1, -1]], [[1, 0, 2, 0, 0, -1, -1]]] as ChartItem[][];
    const run = { ...sample, steps: [step(0, "a", 0, { live: [] })], chart: { columns } };
    const told = heatOf(run, regions, "coverage").map(({ name, level, short }) => [name, level, short]);
    expect(told).toEqual([
      ["num", 0, "0 of 2"],
      ["root", 2, "2 of 5"],
    ]);
  });
  it("has five levels that do not depend on the session", () => {
    expect([0, 0.4, 3, 40, 300, 2000, 50_000].map(heatLevel)).toEqual([0, 1, 1, 2, 3, 4, 5]);
  });
});
