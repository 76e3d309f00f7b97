// States of a large machine by what a reader would type: a number, a text read from the start, or what is written on an edge. Pure.
//
// COST  Linear in the rule's states and edges for each query.
import { groupBy, statesOfRule } from "../../../trace";
import type { Edge, Program, Rule } from "../../../wire";

const utf8 = new TextEncoder();
const takes = (edge: Edge, byte: number) =>
  edge.kind === "bytes" && edge.ranges.some(([low, high]) => low <= byte && byte <= high);

/** The states that a text leads to from the rule's start, by edges of bytes alone. */
export function readFromStart(rule: Rule, outgoing: ReadonlyMap<number, readonly Edge[]>, text: string): number[] {
  let now = new Set(rule.starts ?? [rule.start]);
  for (const byte of utf8.encode(text)) {
    const next = new Set<number>();
    for (const state of now) for (const edge of outgoing.get(state) ?? []) if (takes(edge, byte)) next.add(edge.to);
    now = next;
  }
  return [...now];
}

/**
 * The states that a query means, likeliest first: the state of that number in its rule; where the text leads from the start; the ends
 * of edges that have it in their label; states whose item has it.
 */
export function findStates(program: Program, rule: Rule, query: string): number[] {
  if (query === "") return [];
  const mine = program.edges.filter((edge) => edge.from >= rule.states[0] && edge.from < rule.states[1]);
  const found = new Set<number>();
  const number = /^[·#]?(\d+)$/.exec(query)?.[1];
  if (number !== undefined && Number(number) < rule.states[1] - rule.states[0])
    found.add(rule.states[0] + Number(number));
  const outgoing = groupBy(mine, (edge) => edge.from);
  for (const state of readFromStart(rule, outgoing, query)) found.add(state);
  for (const edge of mine) if (edge.label.includes(query)) found.add(edge.to);
  for (const state of statesOfRule(program, rule))
    if (state.before.includes(query) || state.after.includes(query)) found.add(state.id);
  return [...found];
}
