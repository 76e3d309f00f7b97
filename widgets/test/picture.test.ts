import { describe, expect, it } from "vitest";
import { stopsOf } from "../src/picture/boxes";
import { holds, isEmpty, meet, n, xml } from "../src/picture/ink";

const box = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });

describe("what a picture's file is made of", () => {
  it("has numbers of two digits, and words that XML can hold", () => {
    expect([n(1 / 3), n(2), n(-0.001), n(1e-9)]).toEqual(["0.33", "2", "0", "0"]);
    expect(xml('<a href="x">&')).toBe("&lt;a href=&quot;x&quot;&gt;&amp;");
    expect(xml("a\u0000b\u001bc\nd\ud800e\uffffé日😀")).toBe("a\ufffdb\ufffdc\nd\ufffde\ufffdé日😀");
  });

  it("knows what is seen of a box in a box", () => {
    expect(meet(box(0, 0, 10, 10), box(5, -5, 20, 5))).toEqual(box(5, 0, 10, 5));
    expect(isEmpty(meet(box(0, 0, 10, 10), box(10, 0, 20, 10)))).toBe(true);
    expect(holds(box(0, 0, 10, 10), box(0, 0, 10.4, 10))).toBe(true);
    expect(holds(box(0, 0, 10, 10), box(0, 0, 10.6, 10))).toBe(false);
  });
});

describe("gradients with hard edges", () => {
  const at = (words: string[], length: number) => stopsOf(words, length).map(({ colour, at }) => [colour, at]);

  it("repeat by pixels: the hatch of what is blocked", () => {
    const words = [
      "rgb(200, 76, 0) 0px",
      "rgb(200, 76, 0) 1.2px",
      "rgb(253, 232, 219) 1.2px",
      "rgb(253, 232, 219) 4px",
    ];
    expect(at(words, 80)).toEqual([
      ["rgb(200, 76, 0)", 0],
      ["rgb(200, 76, 0)", 1.2],
      ["rgb(253, 232, 219)", 1.2],
      ["rgb(253, 232, 219)", 4],
    ]);
  });

  it("may give a colour two places, none, or one before the last", () => {
    expect(at(["red 0px 3px", "rgba(0, 0, 0, 0) 3px 5px"], 20)).toEqual([
      ["red", 0],
      ["red", 3],
      ["rgba(0, 0, 0, 0)", 3],
      ["rgba(0, 0, 0, 0)", 5],
    ]);
    expect(at(["rgba(0, 0, 0, 0) 24px", "color(srgb 1 0.9 0.6) 0px"], 100)).toEqual([
      ["rgba(0, 0, 0, 0)", 24],
      ["color(srgb 1 0.9 0.6)", 24],
    ]);
    expect(at(["red", "blue 50%", "green"], 40)).toEqual([
      ["red", 0],
      ["blue", 20],
      ["green", 40],
    ]);
  });
});
