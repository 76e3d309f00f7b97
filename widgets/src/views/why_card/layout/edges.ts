// Which edges a byte did not find: the states that could have read it, and the bytes they have edges for. Pure.
//
// Mirror of `missing_edges` in xg2lab/lab/trace/issue.py.
import { hex } from "../../../text";
import { edgesFrom } from "../../../trace";
import type { ExpectedBy, Explanation, Program } from "../../../wire";

export type Ranges = readonly (readonly [lo: number, hi: number])[];
export interface MissingEdge {
  state: number;
  rule: number;
  ranges: Ranges;
}

/** Ranges in order, those that touch joined. */
export function merged(ranges: Ranges): [lo: number, hi: number][] {
  const out: [number, number][] = [];
  for (const [lo, hi] of ranges.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = out.at(-1);
    if (last && lo <= last[1] + 1) last[1] = Math.max(hi, last[1]);
    else out.push([lo, hi]);
  }
  return out;
}

export const rangeText = (ranges: Ranges): string =>
  merged(ranges)
    .map(([lo, hi]) => (lo === hi ? hex(lo) : `${hex(lo)}-${hex(hi)}`))
    .join(" ");

/** The items that something was expected by, a byte or a token, each once. */
export function expectedBy(why: Explanation): ExpectedBy[] {
  const items = [...why.expected_by, ...(why.expected_tokens ?? [])];
  return [...new Map(items.toReversed().map((item) => [`${item.state}:${item.origin}`, item])).values()].toReversed();
}

/** For a byte that died: each state that stood there and reads bytes, innermost first. */
export function missingEdges(program: Program, why: Explanation): MissingEdge[] {
  if (why.died_at === null) return [];
  const items = why.expected_by.toSorted((a, b) => b.origin - a.origin);
  return [...new Map(items.map((item) => [item.state, item.rule]))].map(([state, rule]) => ({
    state,
    rule,
    ranges: merged(edgesFrom(program, state).flatMap((edge) => (edge.kind === "bytes" ? edge.ranges : []))),
  }));
}
