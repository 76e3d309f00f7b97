import { describe, expect, test } from "vitest";
import { fragmentOf, selectionOf } from "../src/fragment";
import { NOTHING_SELECTED } from "../src/trace";
import type { Selection } from "../src/wire";

describe("a selection in an address", () => {
  const whole: Selection = { step: 3, token: 0, byte: 9, rule: 2, item: [7, 1], state: 8, mask_entry: 8 };

  test("comes back as it was", () => {
    for (const selection of [
      whole,
      { ...NOTHING_SELECTED, step: 0 },
      { ...NOTHING_SELECTED, item: [0, 0] } as Selection,
    ])
      expect(selectionOf(`#${fragmentOf(selection)}`)).toEqual(selection);
    expect(fragmentOf(whole)).toBe("step=3&token=0&byte=9&rule=2&item=7.1&state=8&mask_entry=8");
  });

  test("is nothing where nothing is selected", () => {
    expect(fragmentOf(NOTHING_SELECTED)).toBe("");
    for (const text of ["", "#", "#step", "#xg2lab-views"]) expect(selectionOf(text)).toBeNull();
  });

  test("takes no part that is not a number", () => {
    for (const text of ["-1", "1.5", "1e3", "NaN", "4294967296999", "%00", "<b>", "7.1"])
      expect(selectionOf(`#step=${text}`)).toBeNull();
    for (const text of ["7", "7.", ".1", "7.1.2", "a.b"]) expect(selectionOf(`#item=${text}`)).toBeNull();
    expect(selectionOf("#step=x&token=5&constructor=1")).toEqual({ ...NOTHING_SELECTED, token: 5 });
  });
});
