// Which rule took the blocked mass, from explanations that were recorded. Pure. Mirror of xg2lab/lab/trace/lost_mass.py, for when no kernel
// answers: few tokens are explained in a trace, and what they leave is the rest, of which nobody was asked.
import { isAllowed } from "../../../bulk";
import type { ExpectedBy, Explanation, Step } from "../../../wire";
import type { LostMass, LostTo } from "../../../wire/lost";

const OF_NO_RULE: Record<string, string> = {
  special_token: "special token",
  stop_not_legal: "stop token",
  padding: "padding",
  empty_token: "empty token",
};

/** The innermost item that expected something else: one that had begun to match, and of those the one that began last. */
function refuser(why: Explanation): ExpectedBy | null {
  if (why.mechanism in OF_NO_RULE) return null;
  const inner = (a: ExpectedBy, b: ExpectedBy) =>
    Number(b.before !== "") - Number(a.before !== "") || b.origin - a.origin;
  return why.expected_by.toSorted(inner)[0] ?? null;
}

/** The rule that is written in the item's line: small rules stand inlined in the rule that the engine names. */
const ruleAt = (item: ExpectedBy): string =>
  /^\s*([A-Za-z_][\w.-]*)\s*::=/.exec(item.line_text ?? "")?.[1] ?? item.rule_name;

const groupOf = (why: Explanation, item: ExpectedBy | null): LostTo => ({
  name: (item && ruleAt(item)) ?? OF_NO_RULE[why.mechanism] ?? why.mechanism.replaceAll("_", " "),
  rule: item?.rule ?? null,
  line: item?.line ?? null,
  column: item?.column ?? null,
  expected: item ? why.expected_text : "",
  mechanism: why.mechanism,
  mass: 0,
  token_ids: [],
});

export function recordedLoss(step: Step, vocabSize: number): LostMass | null {
  if (step.z === null || step.n_allowed === null) return null;
  const groups = new Map<string, LostTo>();
  let [told, n] = [0, 0];
  for (const [id, , p, , code] of step.top) {
    const why = step.explain[id];
    if (p === null || !why || (code !== null && isAllowed(code))) continue;
    const item = refuser(why);
    const key = item ? `${item.rule} ${item.line}:${item.column}` : why.mechanism;
    const group = groups.get(key) ?? groupOf(why, item);
    groups.set(key, group);
    group.mass += p;
    group.token_ids.push(id);
    told += p;
    n++;
  }
  const total = 1 - step.z;
  return {
    total,
    groups: [...groups.values()].sort((a, b) => b.mass - a.mass),
    rest: Math.max(0, total - told),
    n_rest: vocabSize - step.n_allowed - n,
  };
}
