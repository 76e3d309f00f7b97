// The arguments of a template: the value that a pointer names, and how that is said.
import { describe, expect, it } from "vitest";
import { argumentAt, argumentText } from "../src/views/operator_view/layout/arguments";

const VALUES = { sections: [{ id: "a" }, { id: { $bytes: "ff" } }], x: { $value: { "$a/b": [1] } }, n: 0 };

describe("an argument", () => {
  it.each([
    ["/sections/0/id", "a"],
    ["/n", 0],
    ["/x/$a~1b/0", 1],
    ["/sections/2", undefined],
    ["/n/0", undefined],
    ["/toString", undefined],
    ["", VALUES],
  ])("is found at %s", (pointer, value) => expect(argumentAt(VALUES, pointer)).toBe(value));
  it("is said in a few words", () => {
    expect(argumentText("a\n")).toBe('"a\\n"');
    expect(argumentText({ $bytes: "00ff" })).toBe("bytes 00ff");
    expect(argumentText({ $grammar: "root ::= [a]", root: "root" })).toBe("a grammar");
    expect(argumentText("a".repeat(99))).toHaveLength(60);
  });
});
