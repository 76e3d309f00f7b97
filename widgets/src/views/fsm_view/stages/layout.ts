// What a pass did to a machine, node by node of its drawing, and in words. Pure.
import { cut, plural } from "../../../text";
import type { DrawnProgram, Program, Rule, StageMarks, WireStage } from "../../../wire";
import type { FsmNode } from "../layout/fsm";

/** Short names for passes, and what each does to a machine. */
const PASSES: Record<string, readonly [short: string, does: string]> = {
  "as written": ["source", "The rule as it is in the grammar: a path for each alternative."],
  right_recursion_to_repeat: ["repeat", "A rule that calls itself at its end becomes a loop."],
  inline_fragments: ["inline", "Small rules are written into their callers."],
  fuse_literals: ["fuse", "Literals side by side become one."],
  determinize: ["determinize", "Common beginnings are read once."],
  minimize: ["minimize", "Equivalent states are merged."],
};
export const shortName = (name: string): string => PASSES[name]?.[0] ?? name;
export const whatItDoes = (name: string): string => PASSES[name]?.[1] ?? "";

export type MarkKind = "new" | "joined" | "split" | "gone";
export interface NodeMark {
  kind: MarkKind;
  text: string;
}

const statesIn = (node: FsmNode): number[] =>
  node.kind === "state" ? [node.state.id] : node.kind === "literal" ? node.states.slice(0, -1) : node.states;

const [MOST_NUMBERS, MOST_NAME] = [3, 12];
const numbers = (states: readonly number[]): string =>
  states.length <= MOST_NUMBERS ? states.join(",") : `${states.length} states`;

/** The mark of a node of the machine after the pass: new, or merged from several. Folded states have one if all are alike. */
export function markAfter(node: FsmNode, marks: StageMarks): NodeMark | null {
  const states = statesIn(node);
  const before = states.map((state) => marks.stands_for[state] ?? []);
  if (before.every((of) => of.length === 0)) {
    const within = new Set(states.flatMap((state) => marks.within[state] ?? []));
    return { kind: "new", text: within.size === 1 ? `+${cut([...within][0] as string, MOST_NAME)}` : "+" };
  }
  if (!before.some((of) => of.length > 1)) return null;
  return { kind: "joined", text: node.kind === "state" ? `=${numbers(before[0] as number[])}` : "joined" };
}

/** Of each state before the pass those that stand for it. */
export function standIns(marks: StageMarks, n: number): number[][] {
  const out: number[][] = Array.from({ length: n }, () => []);
  marks.stands_for.forEach((before, state) => {
    for (const one of before) out[one]?.push(state);
  });
  return out;
}

/** The mark of a node of the machine before the pass: gone, or standing split into several. */
export function markBefore(node: FsmNode, now: readonly (readonly number[])[]): NodeMark | null {
  const states = statesIn(node);
  if (states.every((state) => now[state]?.length === 0)) return { kind: "gone", text: "gone" };
  if (!states.some((state) => (now[state]?.length ?? 0) > 1)) return null;
  return {
    kind: "split",
    text: node.kind === "state" ? `→${numbers(now[states[0] as number] as number[])}` : "split",
  };
}

export const counts = (machine: DrawnProgram): string =>
  `${plural(machine.states.length, "state")}, ${plural(machine.edges.length, "edge")}`;

const shape = (machine: DrawnProgram): string =>
  JSON.stringify([machine.states.map((s) => s.accepting), machine.edges.map((e) => [e.from, e.to, e.label])]);
export const isSame = (a: DrawnProgram, b: DrawnProgram): boolean => shape(a) === shape(b);

/** What a pass did, in one sentence. */
export function said(before: WireStage | null, stage: WireStage): string {
  if (!stage.machine) return "";
  if (!before?.machine) return "";
  if (isSame(before.machine, stage.machine)) return "Nothing changed here.";
  if (!stage.marks) return "The two machines are too large to match their states.";
  const none = stage.marks.stands_for.filter((of) => of.length === 0).length;
  const several = stage.marks.stands_for.filter((of) => of.length > 1).length;
  const split = standIns(stage.marks, before.machine.states.length).filter((of) => of.length > 1).length;
  const parts = [
    none && `${plural(none, "state")} new`,
    stage.marks.gone.length && `${plural(stage.marks.gone.length, "state")} gone`,
    several && `${several} merged from several`,
    split && `${split} split into several`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join(", ")}.` : "The same states, other edges.";
}

/** Whether stages that were kept are those of this program: the last is the machine that runs. */
export function areOf(stages: readonly WireStage[], program: Program, name: string): boolean {
  const rule = program.rules.find((one) => one.name === name);
  const last = stages.at(-1)?.machine;
  if (!rule || !last) return !rule && !last && stages.length > 0;
  const [first, end] = rule.states;
  const mine = program.edges.filter((e) => e.from >= first && e.from < end);
  return last.states.length === end - first && labels(last.edges, 0) === labels(mine, first);
}
const labels = (edges: DrawnProgram["edges"], first: number): string =>
  JSON.stringify(edges.map((e) => [e.from - first, e.to - first, e.label]));

/** Rules that a stage has and the machine that runs has not: written into their callers. */
export const earlyRules = (stages: readonly WireStage[], rules: readonly Rule[]): string[] => {
  const known = new Set(rules.map((rule) => rule.name));
  return [...new Set(stages.flatMap((stage) => stage.rules))].filter((name) => !known.has(name));
};
