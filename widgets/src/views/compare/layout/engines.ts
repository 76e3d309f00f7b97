// What a comparison of engines says at each step, in words and marks, and of times their percentiles. Pure.
import { int, plural, visible } from "../../../text";
import type { EngineDisagreement, EngineReport, EngineSide, EngineVerdict } from "../../../wire";
import { type Cell, cellsOf } from "./tapes";

/** An engine at a step: its mask is the first engine's, is another one, it refuses the text's token, or it has no mask there. */
export type Mark = "same" | "differs" | "refuses" | "none";

export function markOf(report: EngineReport, step: number, engine: number): Mark {
  const groups = report.groups[step] ?? [];
  const own = groups[engine] ?? -1;
  if (own < 0) return "none";
  if (report.engines[engine]?.refuses === step) return "refuses";
  const first = groups.find((group) => group >= 0);
  return own === (groups[0] === -1 ? first : groups[0]) ? "same" : "differs";
}

/** Whether any two masks of a step differ. */
export const differsAt = (report: EngineReport, step: number): boolean =>
  new Set((report.groups[step] ?? []).filter((group) => group >= 0)).size > 1;

/** The tokens by their columns, and at the end of the text, if a mask comes there, a column for it. */
export function tapeOf(report: EngineReport): Cell[] {
  const cells = cellsOf(report.tape, report.n_bytes);
  if (report.n_steps <= cells.length) return cells;
  return [...cells, { index: cells.length, text: "end", from: report.n_bytes, n: END }];
}
const END = 4;

/** The two engines to look at first: the reference, and whoever parts from it. */
export function pairFor(report: EngineReport): readonly [number, number] {
  const name = report.disagreements[0]?.b;
  const found = report.engines.findIndex((one) => one.name === name);
  return [0, found > 0 ? found : Math.min(1, report.engines.length - 1)];
}

/** The value below which a share of the times lies: nearest rank. */
export function percentile(us: readonly number[], share: number): number | null {
  if (us.length === 0) return null;
  const sorted = [...us].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
}

/** A step in words: what comes there, what each engine allows, and who differs or refuses. */
export function told(report: EngineReport, step: number): string {
  const token = report.tape[step]?.[1];
  const each = report.engines.map((one, k) => {
    const mark = markOf(report, step, k);
    const n = one.n_allowed[step];
    if (mark === "none" || n === undefined) return `${one.name} has no mask`;
    const says = { same: k === 0 ? "" : ", the same", differs: ", another mask", refuses: ", refuses it" }[mark];
    return `${one.name} allows ${int(n)}${says}`;
  });
  return `Step ${step}, ${token === undefined ? "the end of the text" : `before ${visible(token)}`}: ${each.join("; ")}`;
}

/** Bytes as pairs of digits; of many the first. */
export function bytesTold(hex: string): string {
  const pairs = hex.toUpperCase().match(/../g) ?? [];
  return pairs.length > MOST_BYTES ? `${pairs.slice(0, MOST_BYTES).join(" ")} …` : pairs.join(" ");
}
const MOST_BYTES = 8;

/** Where two part, without their names: the byte, the token with its bytes, and who takes it. */
export function whereTold(one: EngineDisagreement): string {
  const hex = bytesTold(one.bytes);
  const token = `before ${visible(one.text)}${hex && ` (${hex})`}`;
  const takes = one.takes_a === one.takes_b ? "" : `: ${one.takes_a ? one.a : one.b} alone takes it`;
  return `byte ${int(one.byte)}, ${one.token_id === null ? "at the end of the text" : token}${takes}`;
}

/** What the masks have, one without the other. */
export const masksTold = (one: EngineDisagreement): string =>
  `${plural(one.n_only_a, "token")} in the mask of ${one.a} alone, ${int(one.n_only_b)} in that of ${one.b}`;

/** The kinds of a verdict in words. */
export const KINDS: Record<EngineVerdict["kind"], string> = {
  allows_invalid: "allows what is not valid",
  forbids_valid: "forbids what is valid",
  mask_is_not_accept: "its mask is not its accept",
  narrower: "another spelling only",
  undecided: "undecided",
};

/** How an engine ended, or how far it is, in a word: of one that follows, how many tokens of the text it takes. */
export function stateOf(side: EngineSide, nTokens: number): string {
  if (side.failed) return side.failed.split(/[: ]/)[0] as string;
  if (side.refused) return "refused";
  if (side.phase === "done" || side.phase === "times") return `${int(side.n_followed)} of ${int(nTokens)}`;
  return side.phase === "masks" ? "makes masks" : side.phase;
}
