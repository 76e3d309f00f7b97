import { describe, expect, it } from "vitest";
import { $h } from "../src/jsx";
import { bytes, byteText, escaped, micros, prob, short, visible, visibleRuns, zLevel } from "../src/text";
import { needleOf, readable, Vocabulary } from "../src/vocabulary";

describe("numbers", () => {
  it("writes probabilities with three decimals, small ones as a power", () => {
    expect([0.451, 0.0005, 0.00002, 3e-12, 0].map(prob)).toEqual(["0.451", "0.001", "2·10⁻⁵", "3·10⁻¹²", "0"]);
  });
  it("writes times by their size", () => {
    expect([9.44, 214.2, 13_900, 1234].map(micros)).toEqual(["9.4 µs", "214 µs", "13.9 ms", "1.23 ms"]);
  });
  it("writes bytes in units of 1,024", () =>
    expect([4184, 403_456, 3 << 20].map(bytes)).toEqual(["4,184 B", "394 KiB", "3.00 MiB"]));
  it("shortens counts", () => expect([999, 1834, 254_901].map(short)).toEqual(["999", "1.8k", "255k"]));
  it("levels the feasible mass", () => expect([1, 0.9, 0.6, 0.2, 0.02, 0.001].map(zLevel)).toEqual([0, 0, 1, 2, 3, 4]));
});

describe("tokens", () => {
  it("shows white space and control characters", () => {
    expect(visible(" a\n\t\r\x00")).toBe("·a↵⇥\\r\\x00");
    expect(visibleRuns("  a\n")).toEqual([
      ["··", true],
      ["a", false],
      ["↵", true],
    ]);
    expect([byteText(0x41), byteText(0x20), byteText(0x0a), byteText(0xc3)]).toEqual(["A", "·", "↵", "C3"]);
  });
  it("escapes what is hidden or turns the text around it", () => {
    expect(escaped("user\u202e, \u200b\x1b\xad\u2066\u{e0041}\r")).toBe(
      "user\\u202E, \\u200B\\x1B\\xAD\\u2066\\U000E0041\\x0D",
    );
    expect(escaped("größe שלום مرحبا हिन्दी e\u0301 ❤\ufe0f\t\n\u00a0")).toBe(
      "größe שלום مرحبا हिन्दी e\u0301 ❤\ufe0f\t\n\u00a0",
    );
    expect(visible("a\u202e b")).toBe("a\\u202E·b");
    expect(visibleRuns("a\u200b")).toEqual([
      ["a", false],
      ["\\u200B", true],
    ]);
  });
  it("is escaped in every node of a view, and left in what is edited", () => {
    const node = $h("p", { title: "a\u202e", value: "a\u202e" }, "b\u2066", ["c\u200b", 5, null]);
    expect(node.props).toEqual({
      title: "a\\u202E",
      value: "a\u202e",
      children: ["b\\u2066", ["c\\u200B", 5, null]],
    });
  });
  it("reads bytes that are not UTF-8 as escapes", () => {
    expect(readable(new Uint8Array([0xc3]))).toBe("\\xc3");
    expect(readable(new Uint8Array([0x61, 0xc3, 0xbc, 0xff, 0xe2, 0x82]))).toBe("aü\\xff\\xe2\\x82");
  });
});

describe("the vocabulary", () => {
  const tokens = ["b", "a", "ab", '"}'];
  const blob = new TextEncoder().encode(tokens.join(""));
  const offsets = Uint32Array.from([0, 1, 2, 4, 6]);
  const vocabulary = new Vocabulary(blob, offsets, Uint32Array.from([3, 1, 2, 0]));
  it("gives texts by id and ranks in trie order", () => {
    expect([0, 1, 2, 3].map((id) => vocabulary.text(id))).toEqual(tokens);
    expect([...vocabulary.rank]).toEqual([3, 1, 2, 0]);
  });
  it("finds text in trie order, ids, and bytes", () => {
    expect(vocabulary.search("a")).toEqual([1, 2]);
    expect(vocabulary.search("#2")).toEqual([2]);
    expect(vocabulary.search("/22 7d/")).toEqual([3]);
    expect(vocabulary.search("nothing")).toEqual([]);
    expect(vocabulary.search("")).toEqual([]);
  });
  it("takes visible stand-ins for what they stand for", () => expect(needleOf("·↵")).toEqual(new Uint8Array([32, 10])));
  it("refuses a wrong layout", () =>
    expect(() => new Vocabulary(blob, offsets.slice(1), Uint32Array.from([0, 1, 2, 3]))).toThrow(/offsets/));
});
