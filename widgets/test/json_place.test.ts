// Where a JSON Pointer leads in the arguments of a template, also in a text that is being typed.
import { describe, expect, it } from "vitest";
import cases from "../../tests/cases/json_places.json";
import { placeOf } from "../src/editor/json_place";
import { runsOf } from "../src/editor/spelling";

/** The same cases as tests/diagnostics/test_places.py: Python's JsonPlaces finds the same. */
const CASES: { text: string; places: Record<string, string | null | undefined> }[] = cases;
const at = (text: string, pointer: string) => {
  const place = placeOf(text, pointer);
  return place && text.slice(...place);
};

describe("a pointer", () => {
  it.each(CASES)("leads to its key and value in $text", ({ text, places }) => {
    for (const [pointer, found] of Object.entries(places)) expect(at(text, pointer), pointer).toBe(found);
  });
  it("is followed as far as a text can be read", () => {
    expect(at('{"a": [1, 2', "/a/1")).toBe("2");
    expect(at('{"a": [1, 2', "/a")).toBe(null);
    expect(at('{"\\q": 1}', "/a")).toBe(null);
    expect(at("", "")).toBe(null);
  });
});

describe("slots", () => {
  it("are no names of rules", () => {
    const text = "root ::= $x Each($$xs, id)";
    const inks = runsOf(text, "ebnf").map(({ from, to, ink }) => `${ink} ${text.slice(from, to)}`);
    expect(inks).toContain("key $x");
    expect(inks).toContain("key $$xs");
    expect(inks).toContain("reference id");
  });
});
