import { describe, expect, it, vi } from "vitest";
import type { Store } from "../src/store";

// The module's own imports look for classes of a page.
for (const name of ["HTMLInputElement", "HTMLSelectElement", "HTMLTextAreaElement"]) vi.stubGlobal(name, class {});
const { hasModel, orderOf } = await import("../src/views/mask_lens/legend");

const of = (model: unknown): Store => ({ link: { trace: { value: { header: { model } } } } }) as unknown as Store;

describe("lists of tokens", () => {
  it("stand by probability where there is one, else by id, and say so", () => {
    expect(hasModel(of({ name: "tiny" }))).toBe(true);
    expect(orderOf(of({ name: "tiny" }))).toBe("most probable first");
    for (const model of [null, undefined]) {
      expect(hasModel(of(model))).toBe(false);
      expect(orderOf(of(model))).toBe("by token id, no model");
    }
    expect(hasModel({ link: { trace: { value: null } } } as unknown as Store)).toBe(false);
  });
});
