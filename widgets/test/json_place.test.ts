// Where a JSON Pointer leads in the arguments of a template, also in a text that is being typed.
import { describe, expect, it } from "vitest";
import { placeOf } from "../src/editor/json_place";
import { runsOf } from "../src/editor/spelling";

const TEXT = '{"sections": [{"id": "é"}, {"id": 3, "a/b": [true, []]}], "x": {}}';
const at = (text: string, pointer: string) => {
  const place = placeOf(text, pointer);
  return place && text.slice(...place);
};

describe("a pointer", () => {
  it.each([
    ["", TEXT],
    ["/sections/0/id", '"id": "é"'],
    ["/sections/1", '{"id": 3, "a/b": [true, []]}'],
    ["/sections/1/a~1b/0", "true"],
    ["/sections/1/a~1b/1", "[]"],
    ["/x", '"x": {}'],
    ["/y", null],
    ["/sections/2", null],
  ])("%s leads to its key and value", (pointer, found) => expect(at(TEXT, pointer)).toBe(found));
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
