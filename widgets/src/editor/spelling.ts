// How a source is spelled: comments, literals, names. For weight and ink, and to find a rule's uses; what it means is the engine's. Pure.
//
// It has to make sense of a text that is wrong: a literal that is not closed is a quote, and what follows is read on.
import type { PadKind } from "../wire";

export type Ink = "comment" | "literal" | "class" | "operator" | "definition" | "reference" | "key";
export interface Run {
  from: number;
  to: number;
  ink: Ink;
}
export interface RuleIndex {
  /** where each rule is defined: its name, and up to the next definition */
  definitions: Map<string, { from: number; to: number; end: number }>;
  uses: Map<string, Run[]>;
}

type Rule = [ink: Ink | null, pattern: string];
const NAME = "[\\p{L}_][\\p{L}\\p{N}_.-]*";
const EBNF: Rule[] = [
  ["comment", "#[^\\n]*"],
  ["literal", "\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'"],
  ["definition", `${NAME}(?=\\s*(?:\\[[^\\]\\n]*\\]\\s*)?::=)`],
  ["class", "\\[(?:\\\\.|[^\\]\\\\\\n])*\\]"],
  ["key", `\\$\\$?${NAME}`],
  ["reference", NAME],
  ["operator", "::=|[|*+?(){}]"],
];
const LARK: Rule[] = [
  ["comment", "//[^\\n]*|#[^\\n]*"],
  ["literal", '"(?:\\\\.|[^"\\\\\\n])*"i?'],
  ["class", "/(?:\\\\.|[^/\\\\\\n])+/[imslux]*"],
  ["definition", "[?!]?[\\p{L}_]\\w*(?=(?:\\{[^}\\n]*\\})?(?:\\.-?\\d+)?\\s*:)"],
  ["operator", "->\\s*\\w+|%\\w+|[|*+?(){}:~]"],
  ["reference", "[\\p{L}_]\\w*"],
];
const JSON_TEXT: Rule[] = [
  ["key", '"(?:\\\\.|[^"\\\\\\n])*"(?=\\s*:)'],
  ["literal", '"(?:\\\\.|[^"\\\\\\n])*"'],
  ["operator", "[{}\\[\\],:]"],
];
const GRAMMARS: Record<PadKind, Rule[]> = {
  ebnf: EBNF,
  lark: LARK,
  json_schema: JSON_TEXT,
  structural_tag: JSON_TEXT,
  regex: [],
};

/** The runs of a text, in order; what lies between has no ink of its own. */
export function runsOf(text: string, kind: PadKind): Run[] {
  const rules = GRAMMARS[kind];
  if (rules.length === 0) return [];
  const all = new RegExp(rules.map(([, pattern]) => `(${pattern})`).join("|"), "gu");
  const runs: Run[] = [];
  for (const found of text.matchAll(all)) {
    const which = found.slice(1).findIndex((part) => part !== undefined);
    const ink = rules[which]?.[0];
    if (ink) runs.push({ from: found.index, to: found.index + found[0].length, ink });
  }
  return runs;
}

/** A name as rules are compared by: Lark writes marks before the name of a definition. */
const bare = (name: string, kind: PadKind): string => (kind === "lark" ? name.replace(/^[?!]/, "") : name);

export function rulesOf(text: string, runs: readonly Run[], kind: PadKind): RuleIndex {
  const index: RuleIndex = { definitions: new Map(), uses: new Map() };
  let last: { end: number } | null = null;
  for (const run of runs) {
    const name = bare(text.slice(run.from, run.to), kind);
    if (run.ink === "definition") {
      if (last) last.end = run.from;
      last = { end: text.length };
      if (!index.definitions.has(name))
        index.definitions.set(name, Object.assign(last, { from: run.from, to: run.to }));
    } else if (run.ink === "reference") {
      const uses = index.uses.get(name);
      if (uses) uses.push(run);
      else index.uses.set(name, [run]);
    }
  }
  return index;
}

/** The rule whose name stands at a place; null elsewhere. */
export function nameAt(
  text: string,
  runs: readonly Run[],
  at: number,
  kind: PadKind,
): { name: string; run: Run } | null {
  const run = runs.find(({ from, to }) => from <= at && at <= to);
  if (!run || (run.ink !== "definition" && run.ink !== "reference")) return null;
  return { name: bare(text.slice(run.from, run.to), kind), run };
}

/** The rule in whose definition a place is; null before the first. */
export function ruleAround(index: RuleIndex, at: number): string | null {
  for (const [name, { from, end }] of index.definitions) if (from <= at && at < end) return name;
  return null;
}
