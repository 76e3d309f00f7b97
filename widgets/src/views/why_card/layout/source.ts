// The grammar's text cut into runs: lines, rule names, marked spans. Pure; offsets count UTF-8 bytes.
import type { Program, Rule, Span, State } from "../../../wire";

export interface Run {
  text: string;
  begin: number;
  end: number;
  rule: Rule | null; // the run is this rule's name, where it is defined
  defined: boolean; // the run is a rule's name, where it is defined, be the rule inlined or not
  marked: boolean;
  live: boolean; // a live state stands for this part of the text
}
export interface Line {
  number: number;
  runs: Run[];
  comment: boolean;
  marked: boolean;
}

const newline = 10;
const DEFINITION = /^[ \t]*([^\s:#"'[\](){}|]+)[ \t]*::=/gmu;

/** Where rules are defined: byte offset and length of each name. */
function definitions(text: string): Map<number, number> {
  const length = (part: string) => new TextEncoder().encode(part).length;
  return new Map(
    [...text.matchAll(DEFINITION)].map((m) => [
      length(text.slice(0, m.index + m[0].indexOf(m[1] as string))),
      length(m[1] as string),
    ]),
  );
}

/** Byte offsets at which a new run begins: spans of states, rule names, marks, line ends. */
function cuts(program: Program, marks: readonly Span[], defined: Map<number, number>, length: number): number[] {
  const at = new Set<number>([0, length]);
  for (const state of program.states) for (const [b, e] of state.spans) at.add(b).add(e);
  for (const [b, e] of marks) at.add(b).add(e);
  for (const [b, n] of defined) at.add(b).add(b + n);
  return [...at].filter((x) => x >= 0 && x <= length).sort((a, b) => a - b);
}

export function sourceLines(
  text: string,
  program: Program,
  marks: readonly Span[],
  live: readonly Span[] = [],
): Line[] {
  const covers = (spans: readonly Span[], from: number, to: number) =>
    spans.some(([b, e]) => b <= from && to <= e && b < e);
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const names = new Map(program.rules.map((rule) => [rule.span[0], rule]));
  const defined = definitions(text);
  const edges = cuts(program, [...marks, ...live], defined, bytes.length);
  const lines: Line[] = [];
  let begin = 0;
  let next = 0;
  while (begin <= bytes.length) {
    let end = bytes.indexOf(newline, begin);
    if (end < 0) end = bytes.length;
    const runs: Run[] = [];
    let at = begin;
    while (at < end) {
      while ((edges[next] ?? Infinity) <= at) next++;
      const stop = Math.min(edges[next] ?? end, end);
      const rule = names.get(at) ?? null;
      const named = rule && decoder.decode(bytes.subarray(at, stop)) === rule.name ? rule : null;
      runs.push({
        text: decoder.decode(bytes.subarray(at, stop)),
        begin: at,
        end: stop,
        rule: named,
        defined: defined.has(at),
        marked: covers(marks, at, stop),
        live: covers(live, at, stop),
      });
      at = stop;
    }
    lines.push({
      number: lines.length + 1,
      runs,
      comment: (runs[0]?.text.trimStart() ?? "").startsWith("#"),
      marked: runs.some((run) => run.marked),
    });
    begin = end + 1;
    if (end === bytes.length) break;
  }
  if (lines.at(-1)?.runs.length === 0 && lines.length > 1) lines.pop();
  return lines;
}

/** The state whose span is the smallest round a place in the source; null between rules. */
export function stateAtOffset(program: Program, offset: number): State | null {
  let best: State | null = null;
  let size = Infinity;
  for (const state of program.states) {
    for (const [b, e] of state.spans) {
      if (b <= offset && offset < e && e - b < size) {
        best = state;
        size = e - b;
      }
    }
  }
  return best;
}
export const ruleAtOffset = (program: Program, offset: number): Rule | null =>
  program.rules.find(({ span: [b, e] }) => b <= offset && offset < e) ?? null;
