// The tour: which deed moves a card on, and where a card stands.
import { describe, expect, it } from "vitest";
import { CARDS, type Card, type Facts } from "../src/tour/cards";
import { placeBeside } from "../src/tour/place";

const FACTS: Facts = { nTokens: 3, vocabSize: 2048, nAllowed: 3, wanted: "origin", blocked: null, grammar: "a" };
const card = (k: number) => CARDS[k] as Card;
const done = (k: number, now: Partial<Facts>, before: Partial<Facts> = {}) =>
  card(k).isDone?.({ ...FACTS, ...before }, { ...FACTS, ...before, ...now });

describe("cards", () => {
  it("wait for a step, a step, a blocked token, a reader, a grammar", () => {
    expect([0, 1].map((k) => [done(k, {}), done(k, { nTokens: 4 }), done(k, { nTokens: 2 })])).toEqual([
      [false, true, false],
      [false, true, false],
    ]);
    expect([done(2, {}), done(2, { blocked: 7 }), done(2, {}, { blocked: 7 })]).toEqual([false, true, false]);
    expect(card(3).isDone).toBeNull();
    expect([done(4, { nTokens: 0 }), done(4, { grammar: "b" })]).toEqual([false, true]);
  });

  it("say the figures of the step under the cursor", () => {
    expect(card(1).title(FACTS)).toBe("From 2,048 to 3");
    expect(card(1).title({ ...FACTS, nAllowed: null })).toBe("The mask");
    expect(card(2).text(FACTS)).toContain("“origin”");
    expect(card(2).text({ ...FACTS, wanted: null })).toBe("Click a grey square.");
  });
});

describe("placeBeside", () => {
  const size = { width: 364, height: 160 };
  const widget = { width: 1008, height: 720 };
  const at = (left: number, top: number, width: number, height: number) =>
    placeBeside({ left, top, width, height }, size, widget);

  it("prefers the right side, then the left, then below, then above", () => {
    expect(at(0, 280, 440, 280)).toEqual({ left: 452, top: 312 });
    expect(at(450, 280, 558, 280)).toEqual({ left: 74, top: 312 });
    expect(at(0, 100, 1008, 200)).toEqual({ left: 8, top: 312 });
    expect(at(0, 400, 1008, 320)).toEqual({ left: 8, top: 228 });
  });

  it("lies over the end of a pane that leaves no room", () => {
    expect(at(0, 0, 1008, 720)).toEqual({ left: 632, top: 548 });
  });

  it("never leaves the widget, and covers no pane that has room beside it", () => {
    for (let k = 0; k < 2000; k++) {
      // a walk through sizes without a seed: multiples of numbers that share no factor
      const width = 40 + ((k * 97) % 960);
      const height = 30 + ((k * 61) % 690);
      const left = (k * 53) % (1009 - width);
      const top = (k * 31) % (721 - height);
      const found = at(left, top, width, height);
      expect(found.left).toBeGreaterThanOrEqual(8);
      expect(found.top).toBeGreaterThanOrEqual(8);
      expect(found.left + size.width).toBeLessThanOrEqual(1000);
      expect(found.top + size.height).toBeLessThanOrEqual(712);
      const covers =
        found.left < left + width &&
        left < found.left + size.width &&
        found.top < top + height &&
        top < found.top + size.height;
      const sides = Math.max(left, widget.width - left - width) - 20 >= size.width;
      const ends = Math.max(top, widget.height - top - height) - 20 >= size.height;
      expect(covers).toBe(!sides && !ends);
    }
  });
});
