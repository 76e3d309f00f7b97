// How tokens and numbers are written. One place, so that all views agree.

// What can't be seen, or turns the text around it: controls but for tab and line feed, format
// characters, fillers. The same stand in core/support/visible.cc and xg2lab/errors.py, which a
// test compares.
export const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is looked for alone
  /[\u034f\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{13430}-\u{1343f}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const escapedCode = (code: number): string => {
  const digits = (n: number): string => code.toString(16).toUpperCase().padStart(n, "0");
  return code <= 0xff ? `\\x${digits(2)}` : code <= 0xffff ? `\\u${digits(4)}` : `\\U${digits(8)}`;
};

/** Text fit to be shown: what is hidden in it is escaped, as in the engine's messages. Every text of a view passes here (jsx.ts). */
export const escaped = (text: string): string => text.replace(HIDDEN, (c) => escapedCode(c.codePointAt(0) as number));

const VISIBLE: Record<string, string> = { " ": "·", "\n": "↵", "\t": "⇥", "\r": "\\r" };

/** A token as it is shown: white space has a visible form, what is hidden an escape. */
export const visible = (text: string): string => escaped(text.replace(/[ \n\t\r]/g, (c) => VISIBLE[c] as string));

/** Runs of a shown token: true where a visible stand-in is meant, so that it can be dimmed. */
export function visibleRuns(text: string): [run: string, standIn: boolean][] {
  const runs: [string, boolean][] = [];
  for (const c of text) {
    const standIn = visible(c) !== c;
    const last = runs.at(-1);
    if (last && last[1] === standIn) last[0] += visible(c);
    else runs.push([visible(c), standIn]);
  }
  return runs;
}

export const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, "0");
/** A byte as a reader knows it: ASCII as itself, the rest in two hexadecimal digits. */
export const byteText = (byte: number): string =>
  byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : (VISIBLE[String.fromCharCode(byte)] ?? hex(byte));

const grouped = new Intl.NumberFormat("en-US");
/** Grouped integers. */
export const int = (n: number): string => grouped.format(n);
/** At most three significant figures with k, for the tape only. */
export function short(n: number): string {
  if (n < 1000) return String(n);
  return `${(n / 1000).toFixed(n >= 100_000 ? 0 : 1)}k`;
}
export function micros(us: number): string {
  if (us >= 1000) return `${(us / 1000).toPrecision(3)} ms`;
  return `${us >= 10 ? us.toFixed(0) : us.toFixed(1)} µs`;
}
/** A time in nanoseconds, in the unit that fits it. */
export const nanos = (ns: number): string =>
  ns >= 1e9 ? `${(ns / 1e9).toPrecision(3)} s` : ns === 0 ? "0" : micros(ns / 1e3);
export function millis(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toPrecision(3)} s` : ms >= 100 ? ms.toFixed(0) : ms.toFixed(1);
}
export function bytes(n: number): string {
  if (n < 10_240) return `${int(n)} B`;
  return n < 1_048_576 ? `${(n / 1024).toPrecision(3)} KiB` : `${(n / 1_048_576).toPrecision(3)} MiB`;
}
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** A probability: three decimals, below 0.0005 one digit and a power of ten. */
export function prob(p: number): string {
  if (p >= 0.0005) return p.toFixed(3);
  if (p <= 0) return "0";
  const [digit, power] = p.toExponential(0).split("e-") as [string, string];
  return `${digit}·10⁻${[...power].map((d) => RAISED[Number(d)]).join("")}`;
}
/** Feasible mass in five levels: fine, bends, pulls, fights, corners. */
export const zLevel = (z: number): 0 | 1 | 2 | 3 | 4 =>
  z >= 0.9 ? 0 : z >= 0.5 ? 1 : z >= 0.1 ? 2 : z >= 0.01 ? 3 : 4;

/** At most `glyphs` characters: what is left out is left out of the middle, because beginnings and ends tell names apart. */
export function cut(text: string, glyphs: number): string {
  const all = [...text];
  if (all.length <= glyphs) return text;
  const kept = Math.max(1, glyphs - 1);
  const tail = kept < 5 ? 0 : Math.floor(kept * 0.4);
  return `${all.slice(0, kept - tail).join("")}…${tail ? all.slice(-tail).join("") : ""}`;
}

export const plural = (n: number, one: string, many = `${one}s`): string => `${int(n)} ${n === 1 ? one : many}`;
