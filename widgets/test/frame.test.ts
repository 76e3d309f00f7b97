// The layout tree of the workbench: what fills the box, what moves, what is remembered.
import { describe, expect, it } from "vitest";
import { ARRANGEMENTS, leastOf, lessonOf, made, NUMBERED, rowsOf, widthClass } from "../src/frame/arrangements";
import {
  arrange,
  type Box,
  close,
  divide,
  dockAt,
  drag,
  EMPTY,
  isSplit,
  move,
  type Node,
  open,
  type PaneAt,
  pick,
  reach,
  type Side,
  split,
  stack,
  stackOf,
  stacksOf,
  toggle,
  viewsOf,
} from "../src/frame/layout";
import { keyOf, readLayout, recall, remember } from "../src/frame/memory";

const VIEWS = [
  "tape",
  "text_view",
  "mask_lens",
  "why_card",
  "fsm_view",
  "chart_view",
  "cache_view",
  "dispatch_view",
  "timeline_view",
  "operator_view",
  "dist_view",
  "audit",
  "cost_table",
  "compare",
  "grammar_pad",
  "grammar_views",
  "example_bench",
];
const SIDES: readonly Side[] = ["in", "left", "right", "top", "bottom"];
const box = (w: number, h: number): Box => ({ x: 0, y: 0, w, h });

/** Numbers that look random and are the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const some = <T>(values: readonly T[], roll: (below: number) => number): T => values[roll(values.length)] as T;

/** The area that panes and hairlines cover, and whether two of them overlap. */
function cover(root: Node, at: Box) {
  const { panes, splitters } = arrange(root, at, leastOf);
  const all: Box[] = [...panes, ...splitters];
  const area = all.reduce((sum, { w, h }) => sum + w * h, 0);
  const overlaps = all.some((a, k) =>
    all.slice(k + 1).some((b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h),
  );
  const inside = all.every(({ x, y, w, h }) => w >= 0 && h >= 0 && x >= 0 && y >= 0 && x + w <= at.w && y + h <= at.h);
  return { area, overlaps, inside, panes, splitters };
}

/** A layout after so many random changes. */
function changed(seed: number, steps: number): { root: Node; closed: string[] } {
  const roll = dice(seed);
  let root = made(some(ARRANGEMENTS, roll), some(["cell", "tab", "wide"] as const, roll), VIEWS);
  for (let k = 0; k < steps; k++) {
    const shown = viewsOf(root);
    const { splitters } = arrange(root, box(600 + roll(1300), 300 + roll(800)), leastOf);
    const line = splitters.length > 0 ? some(splitters, roll) : null;
    const view = shown.length > 0 ? some(shown, roll) : null;
    const what = roll(6);
    if (what === 0 && view) root = close(root, view);
    else if (what === 1) root = open(root, some(VIEWS, roll), ["fsm_view"]);
    else if (what === 2 && view) root = move(root, view, some(stacksOf(root), roll).id, some(SIDES, roll));
    else if (what === 3 && line) root = drag(root, line, roll(400) - 200);
    else if (what === 4 && line) root = toggle(root, line);
    else if (view) root = pick(root, view);
  }
  return { root, closed: VIEWS.filter((view) => !viewsOf(root).includes(view)) };
}

describe("arrange", () => {
  it("fills every box and overlaps nothing, whatever was done to the layout", () => {
    for (let seed = 1; seed <= 150; seed++) {
      const { root } = changed(seed, 12);
      const roll = dice(seed);
      for (const at of [box(760 + roll(1400), 300 + roll(900)), box(1 + roll(300), 1 + roll(200))]) {
        const { area, overlaps, inside, panes } = cover(root, at);
        // hairlines alone may be too many for a box of some pixels
        if (at.w > 300) expect([seed, area]).toEqual([seed, at.w * at.h]);
        expect([seed, at.w > 300 ? overlaps : false]).toEqual([seed, false]);
        if (at.w > 300) expect([seed, inside]).toEqual([seed, true]);
        expect(panes.every(({ w, h }) => w >= 0 && h >= 0)).toBe(true);
        expect(new Set(panes.map(({ stack: { id } }) => id)).size).toBe(panes.length);
      }
    }
  });

  it("keeps the least sizes of every arrangement in the boxes that it is made for", () => {
    const sizes = { cell: box(1006, 650), tab: box(1164, 730), wide: box(1840, 930) } as const;
    for (const arrangement of ARRANGEMENTS)
      for (const [width, at] of Object.entries(sizes)) {
        const root = made(arrangement, width as "cell", VIEWS);
        for (const pane of arrange(root, at, leastOf).panes) {
          const [w, h] = leastOf(pane.stack.views);
          expect([arrangement, width, pane.stack.id, pane.w >= w, pane.h >= h, pane.bar]).toEqual([
            arrangement,
            width,
            pane.stack.id,
            true,
            true,
            null,
          ]);
        }
      }
  });

  it("puts the mask beside why, and both below the tape, as the cell has them", () => {
    const { panes } = arrange(made("step", "cell", VIEWS), box(1008, 652), leastOf);
    const at = Object.fromEntries(panes.map(({ stack: { id }, x, y, w, h }) => [id, [x, y, w, h]]));
    expect(at).toEqual({
      text: [0, 0, 1008, 84],
      tape: [0, 85, 1008, 134],
      mask: [0, 220, 440, 271],
      why: [441, 220, 567, 271],
      dock: [0, 492, 1008, 160],
    });
  });

  it("collapses the dock where the box is too low, and never what takes the rest", () => {
    const { panes } = arrange(made("step", "cell", VIEWS), box(1008, 480), leastOf);
    expect(panes.filter(({ bar }) => bar).map(({ stack: { id } }) => id)).toEqual(["dock"]);
    const lower = arrange(made("step", "cell", VIEWS), box(1008, 200), leastOf).panes;
    expect(lower.filter(({ bar }) => !bar).map(({ stack: { id } }) => id)).toContain("mask");
  });

  it("shares what is left as evenly as least lengths allow", () => {
    const parts = [100, 300, 0].map((size) => ({ of: EMPTY, size: size === 100 ? 100 : null }));
    expect(divide(parts, [32, 300, 50], 702)[0]).toEqual([100, 300, 300]);
    expect(divide(parts, [32, 500, 50], 702)[0]).toEqual([100, 500, 100]);
    expect(
      divide(
        [
          { of: EMPTY, size: null },
          { of: EMPTY, size: null },
        ],
        [10, 10],
        102,
      )[0],
    ).toEqual([51, 50]);
  });
});

describe("splitters", () => {
  const root = made("step", "cell", VIEWS);
  const at = box(1008, 652);
  const between = (first: string, node = root) => {
    const { panes, splitters } = arrange(node, at, leastOf);
    const pane = panes.find(({ stack: { id } }) => id === first) as PaneAt;
    return splitters.find(({ x, y, dir }) =>
      dir === "row" ? x === pane.x + pane.w && y === pane.y : y === pane.y + pane.h && x === pane.x,
    ) as ReturnType<typeof arrange>["splitters"][number];
  };
  const size = (node: Node, id: string) => {
    const pane = arrange(node, at, leastOf).panes.find(({ stack }) => stack.id === id) as PaneAt;
    return [pane.w, pane.h];
  };

  it("move as far as they are dragged, and stop at the least sizes", () => {
    expect(size(drag(root, between("mask"), 16), "mask")).toEqual([456, 271]);
    expect(size(drag(root, between("mask"), 1000), "why")[0]).toBe(420);
    expect(size(drag(root, between("mask"), -1000), "mask")[0]).toBe(408);
    expect(drag(root, between("mask"), 0)).toBe(root);
  });

  it("keep the sum of both parts, in every layout", () => {
    for (let seed = 1; seed <= 80; seed++) {
      const { root: node } = changed(seed, 8);
      const whole = box(1400, 800);
      for (const line of arrange(node, whole, leastOf).splitters) {
        const [from, to] = reach(line);
        expect(from <= 0 && to >= 0).toBe(true);
        const after = drag(node, line, to);
        const moved = arrange(after, whole, leastOf).splitters.find(
          ({ path, at: k }) => path.join() === line.path.join() && k === line.at,
        );
        const [a, b] = [line.at, line.at + 1];
        expect([seed, moved?.lengths[a], moved?.lengths[b]]).toEqual([
          seed,
          (line.lengths[a] as number) + to,
          (line.lengths[b] as number) - to,
        ]);
      }
    }
  });

  it("collapse the part with a length of its own, and open it again", () => {
    const shut = toggle(root, between("mask"));
    expect(size(shut, "mask")).toEqual([32, 271]);
    expect(toggle(shut, between("mask", shut))).toEqual({ ...root, parts: expect.anything() });
    expect(size(toggle(shut, between("mask", shut)), "mask")).toEqual([440, 271]);
    // by its tab too
    expect(size(pick(shut, "mask_lens"), "mask")).toEqual([440, 271]);
  });
});

describe("tabs and panes", () => {
  it("never lose or double a view, whatever is done", () => {
    for (let seed = 1; seed <= 150; seed++) {
      const { root, closed } = changed(seed, 20);
      const shown = viewsOf(root);
      expect(new Set(shown).size).toBe(shown.length);
      expect([...shown, ...closed].sort()).toEqual([...VIEWS].sort());
      const walk = (node: Node): void => {
        if (!isSplit(node)) return;
        expect(node.parts.length).toBeGreaterThan(1);
        expect(node.parts.some(({ shut }) => !shut)).toBe(true);
        for (const { of } of node.parts) walk(of);
      };
      walk(root);
      for (const { views, on } of stacksOf(root)) expect(on === null || views.includes(on)).toBe(true);
    }
  });

  it("a closed view opens among its neighbours, and comes to the front", () => {
    const root = close(made("step", "cell", VIEWS), "chart_view");
    expect(viewsOf(root)).not.toContain("chart_view");
    const again = open(root, "chart_view", ["fsm_view", "dispatch_view"]);
    expect(stackOf(again, "chart_view")).toMatchObject({ id: "dock", on: "chart_view" });
    expect(open(again, "chart_view", [])).toEqual(again);
  });

  it("the last view that is closed leaves an empty layout, which any view opens", () => {
    let root: Node = split("row", [stack("a", "tape"), null], [stack("b", "why_card"), null]);
    for (const view of ["tape", "why_card"]) root = close(root, view);
    expect(viewsOf(root)).toEqual([]);
    expect(viewsOf(open(root, "tape", []))).toEqual(["tape"]);
  });

  it("a view moves into a pane, or to its side as a pane of its own", () => {
    const root = made("step", "cell", VIEWS);
    expect(stackOf(move(root, "dist_view", "why", "in"), "dist_view")).toMatchObject({ id: "why", on: "dist_view" });
    const beside = move(root, "dist_view", "why", "right");
    const { panes } = arrange(beside, box(1842, 930), leastOf);
    const [why, dist] = ["why_card", "dist_view"].map((view) => panes.find(({ stack }) => stack.views.includes(view)));
    expect(dist?.x).toBe((why?.x ?? 0) + (why?.w ?? 0) + 1);
    expect(move(root, "why_card", "why", "bottom")).toBe(root);
  });

  it("a tab docks where it is let go: on a head, in the middle, at a rim", () => {
    const { panes } = arrange(made("step", "cell", VIEWS), box(1008, 652), leastOf);
    expect(dockAt(panes, 500, 230)).toMatchObject({ to: "why", side: "in" });
    expect(dockAt(panes, 720, 370)).toMatchObject({ to: "why", side: "in" });
    expect(dockAt(panes, 460, 370)).toMatchObject({ to: "why", side: "left", shown: { x: 441, w: 283.5 } });
    expect(dockAt(panes, 720, 485)).toMatchObject({ to: "why", side: "bottom" });
    expect(dockAt(panes, 2000, 10)).toBe(null);
  });
});

describe("arrangements", () => {
  it("have every view in a pane or closed, once", () => {
    for (const arrangement of ARRANGEMENTS)
      for (const width of ["cell", "tab", "wide"] as const) {
        const shown = viewsOf(made(arrangement, width, VIEWS));
        expect(new Set(shown).size).toBe(shown.length);
        expect(viewsOf(made(arrangement, width, ["tape", "why_card", "grammar_pad"])).length).toBeGreaterThan(0);
      }
    expect(viewsOf(made("step", "cell", VIEWS)).toSorted()).toEqual(VIEWS.toSorted());
  });

  it("put a view that none of them names at the end of the dock", () => {
    const dock = stackOf(made("step", "cell", [...VIEWS, "step_log"]), "step_log");
    expect(dock?.id).toBe("dock");
    expect(dock?.views.at(-1)).toBe("step_log");
  });

  it("are chosen by the width of the box", () => {
    expect([500, 759, 760, 1008, 1100, 1166, 1560, 1842].map(widthClass)).toEqual([
      "narrow",
      "narrow",
      "cell",
      "cell",
      "tab",
      "tab",
      "wide",
      "wide",
    ]);
  });

  it("of a lesson hold its panes and no other", () => {
    for (let n = 1; n <= VIEWS.length; n++)
      for (const width of ["cell", "tab", "wide"] as const) {
        const root = lessonOf(VIEWS.slice(0, n), width);
        expect(viewsOf(root).toSorted()).toEqual(VIEWS.slice(0, n).toSorted());
        expect(cover(root, box(1008, 652)).area).toBe(1008 * 652);
      }
  });

  it("are an accordion of all views where the box is narrow", () => {
    const { rows, open: first } = rowsOf("debug", VIEWS);
    expect(rows.toSorted()).toEqual(VIEWS.toSorted());
    expect(first).toEqual(["text_view", "why_card", "dist_view"]);
    expect(rows.slice(0, 3)).toEqual(first);
    expect(NUMBERED.length).toBe(9);
  });
});

describe("memory", () => {
  const storage = () => {
    const kept = new Map<string, string>();
    const store = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (k: string, v: string) => void kept.set(k, v),
    };
    return { kept, of: () => store as unknown as Storage };
  };

  it("gives back what was remembered, in every layout", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { of } = storage();
      const { root } = changed(seed, 15);
      if (viewsOf(root).length === 0) continue;
      remember({ arrangement: "debug", layouts: { [keyOf("step", "cell")]: root } }, of);
      const back = recall(VIEWS, of);
      expect(back.arrangement).toBe("debug");
      expect(back.layouts["step/cell"]).toEqual(root);
    }
  });

  it("ignores what is no layout, and what it does not know", () => {
    const known = new Set(VIEWS);
    const good = { id: "a", views: ["tape", "gone", "tape"], on: "gone" };
    expect(readLayout(good, known)).toEqual({ id: "a", views: ["tape"], on: null });
    for (const bad of [null, 3, "x", [], {}, { id: 3, views: [] }, { dir: "row", parts: 3 }, { dir: "up", parts: [] }])
      expect(readLayout(bad, known)).toBe(null);
    const deep = (n: number): unknown =>
      n === 0
        ? good
        : {
            dir: "row",
            parts: [
              { of: deep(n - 1), size: 3 },
              { of: deep(n - 1), size: 3 },
            ],
          };
    expect(() => readLayout(deep(12), known)).not.toThrow();
    const twice = {
      dir: "row",
      parts: [
        { of: good, size: 9 },
        { of: { id: "b", views: ["tape", "compare"] }, size: -1 },
      ],
    };
    expect(viewsOf(readLayout(twice, known) as Node)).toEqual(["tape", "compare"]);
  });

  it("ignores damaged records, records that are too long, and a storage that refuses", () => {
    for (const text of ["{", "3", '{"layouts":3}', "x".repeat(20_000)]) {
      const { kept, of } = storage();
      kept.set("xg2lab/frame/1", text);
      expect(recall(VIEWS, of)).toEqual({ arrangement: null, layouts: {} });
    }
    const refuses = () => {
      throw new DOMException("denied", "SecurityError");
    };
    expect(recall(VIEWS, refuses)).toEqual({ arrangement: null, layouts: {} });
    expect(() => remember({ arrangement: "step", layouts: {} }, refuses)).not.toThrow();
    const { kept, of } = storage();
    const long = stack("x".repeat(20_000), "tape");
    remember({ arrangement: "step", layouts: { "step/cell": long } }, of);
    expect(kept.size).toBe(0);
  });
});
