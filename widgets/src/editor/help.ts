// What the editor asks the kernel of the text on screen: words, cards, places, names, layout, folds. Offsets are the editor's units.
//
// IDEA  The kernel's answers count bytes of the text that was sent with the question. An answer that comes when the text has changed
//       is dropped. Without a kernel there are no answers, and nobody is told: the editor edits.

import type { PadKind, Span, TextWord } from "../wire";
import { offsetsOf } from "./offsets";

export interface Place {
  from: number;
  to: number;
}
export interface Change extends Place {
  insert: string;
}
export interface Word extends Omit<TextWord, "span">, Place {}
export interface Card extends Place {
  text: string;
}
export interface Places {
  definition: Place | null;
  places: Place[];
  renamable: Place | null;
}

/** What is asked of the kernel: null if there is none, or no answer. */
export interface Asking {
  complete: (text: string, kind: PadKind, offset: number) => Promise<TextWord[] | null>;
  hover: (text: string, kind: PadKind, offset: number) => Promise<{ span: Span | null; card: string } | null>;
  places: (text: string, kind: PadKind, offset: number) => Promise<WirePlaces | null>;
  rename: (text: string, kind: PadKind, offset: number, name: string) => Promise<WireEdits | null>;
  layout: (text: string, kind: PadKind) => Promise<WireEdits | null>;
  folds: (text: string, kind: PadKind) => Promise<{ span: Span }[] | null>;
}
type WireEdits = { span: Span; text: string }[];
interface WirePlaces {
  definition: Span | null;
  places: Span[];
  renamable: Span | null;
}

const nothing = () => Promise.resolve(null);
/** For texts that nobody knows more of, such as a template's arguments. */
export const NO_ANSWERS: Asking = {
  complete: nothing,
  hover: nothing,
  places: nothing,
  rename: nothing,
  layout: nothing,
  folds: nothing,
};

/** The questions of one editor: `text` and `kind` are those on screen. */
export class Help {
  constructor(
    readonly asking: Asking,
    readonly text: () => string,
    readonly kind: () => PadKind,
  ) {}

  /** Ask about the text as it is; null too if it has changed meanwhile. */
  async #ask<T>(ask: (text: string, kind: PadKind, byte: (unit: number) => number) => Promise<T | null>): Promise<{
    got: T;
    place: (span: Span) => Place;
  } | null> {
    const [text, kind] = [this.text(), this.kind()];
    const { unit, byte } = offsetsOf(text);
    const got = await ask(text, kind, byte);
    if (got === null || this.text() !== text || this.kind() !== kind) return null;
    return { got, place: ([from, to]) => ({ from: unit(from), to: unit(to) }) };
  }

  async words(at: number): Promise<Word[]> {
    const answer = await this.#ask((text, kind, byte) => this.asking.complete(text, kind, byte(at)));
    return answer?.got.map(({ span, ...word }) => ({ ...word, ...answer.place(span) })) ?? [];
  }

  async card(at: number): Promise<Card | null> {
    const answer = await this.#ask((text, kind, byte) => this.asking.hover(text, kind, byte(at)));
    return answer?.got.span ? { text: answer.got.card, ...answer.place(answer.got.span) } : null;
  }

  async places(at: number): Promise<Places | null> {
    const answer = await this.#ask((text, kind, byte) => this.asking.places(text, kind, byte(at)));
    if (!answer) return null;
    const { got, place } = answer;
    return {
      definition: got.definition && place(got.definition),
      places: got.places.map(place),
      renamable: got.renamable && place(got.renamable),
    };
  }

  async rename(at: number, name: string): Promise<Change[] | null> {
    return this.#changes((text, kind, byte) => this.asking.rename(text, kind, byte(at), name));
  }

  async layout(): Promise<Change[] | null> {
    return this.#changes((text, kind) => this.asking.layout(text, kind));
  }

  async #changes(ask: (text: string, kind: PadKind, byte: (unit: number) => number) => Promise<WireEdits | null>) {
    const answer = await this.#ask(ask);
    return answer?.got.map(({ span, text }): Change => ({ ...answer.place(span), insert: text })) ?? null;
  }

  async folds(): Promise<Place[] | null> {
    const answer = await this.#ask((text, kind) => this.asking.folds(text, kind));
    return answer?.got.map(({ span }) => answer.place(span)) ?? null;
  }
}

/** A snippet as the kernel writes it (`${1:x}`, `$0`, escapes by backslash) in CodeMirror's spelling. CodeMirror allows no braces
 *  inside a stop: such a stop becomes plain text. */
export function templateOf(snippet: string): string {
  const unescaped = (text: string) => text.replace(/\\([\\$}])/g, "$1");
  const braces = (text: string) => text.replace(/[{}]/g, "\\$&");
  let out = "";
  let at = 0;
  for (const found of snippet.matchAll(/\$\{(\d+):((?:\\.|[^}\\])*)\}|\$0/g)) {
    out += braces(unescaped(snippet.slice(at, found.index)));
    at = found.index + found[0].length;
    const inner = found[2] === undefined ? null : unescaped(found[2]);
    if (inner === null) out += "$" + "{}";
    else out += /[{}]/.test(inner) ? braces(inner) : `$\{${found[1]}:${inner}}`;
  }
  return out + braces(unescaped(snippet.slice(at)));
}
