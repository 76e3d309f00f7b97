// What an instance of a template cost: offline, and for the request.
import { describe, expect, it } from "vitest";
import { templateCosts } from "../src/views/cost_table/layout";
import type { TemplateFacts, Trace } from "../src/wire";
import { trace } from "./sample";

const facts: TemplateFacts = {
  ...{ kind: "ebnf", text: "root ::= $x", root: "root", options: {}, arguments: {}, slots: [], obstacles: [] },
  ...{ n_states: 3, compile_us: 100, masks_us: 20, instantiate_us: 5 },
};
const withTemplate = (known: Partial<TemplateFacts>): Trace => ({
  ...trace,
  header: { ...trace.header, template: { ...facts, ...known } },
});

describe("the costs of an instance", () => {
  it("are told apart by who pays", () =>
    expect(templateCosts(withTemplate({}))).toEqual({
      offline: [
        ["compile the template", 100],
        ["make the masks that instances share", 20],
      ],
      request: [
        ["link the instance", 5],
        ["first mask", 12],
      ],
      passes: null,
    }));
  it("have the passes of the request, one behind the other", () => {
    const known = withTemplate({ request_passes: [["check_arguments", 2], ["link", 3, { states: [3, 9] }]] }); // biome-ignore format: one value
    expect(templateCosts(known)?.passes).toEqual([
      { name: "check_arguments", us: 2, begin: 0 },
      { name: "link", us: 3, begin: 2, states: [3, 9] },
    ]);
  });
  it("say nothing of what was not timed, and that an instance was compiled", () => {
    const costs = templateCosts({ ...withTemplate({ masks_us: null, obstacles: ["why"] }), steps: [] });
    expect(costs?.offline).toHaveLength(1);
    expect(costs?.request).toEqual([["compile the instance", 5]]);
  });
  it("are those of no other grammar", () => expect(templateCosts(trace)).toBeNull());
});
