import { expect, test } from "vitest";
import { cameTo } from "../src/trace";
import type { Trace } from "../src/wire";

test("how far a trace has come is told as Python tells it", () => {
  // the same facts, and the same word, stand in tests/widgets/test_saved.py
  const steps = [{ token_id: 3 }, { token_id: 0 }, { token_id: null }];
  const trace = { header: { grammar: { text: 'root ::= "𝄞"' }, prompt: "né" }, branches: [{}], steps };
  expect(cameTo(trace as unknown as Trace)).toBe("13 2 1 3 6");
  const annotations = [{ text: "é𝄞" }, { text: "b" }];
  expect(cameTo({ ...trace, annotations } as unknown as Trace)).toBe("13 2 1 3 6 112285");
});
