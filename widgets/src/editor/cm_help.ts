// The editor's extensions that ask the kernel: completion with snippets, renaming, definitions, folding, the usual layout.
//
// Keys  ctrl space: words that may stand here; F2: another name; F12 or ctrl click: the definition, or the next use; shift alt F: layout;
//       ctrl F: find and replace; ctrl shift [ and ]: fold and unfold.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  snippet,
} from "@codemirror/autocomplete";
import { codeFolding, foldGutter, foldKeymap, foldService } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, keymap, showDialog } from "@codemirror/view";
import { h, render } from "preact";
import { CardText } from "./card_text";
import { type Help, type Place, templateOf, type Word } from "./help";

/** Icons of CodeMirror, by what a word is. */
const ICONS: Record<Word["kind"], string> = {
  rule: "function",
  terminal: "constant",
  macro: "function",
  option: "property",
  operator: "keyword",
  keyword: "keyword",
  value: "enum",
  format: "enum",
  snippet: "text",
  slot: "variable",
};

// ---- Completion -------------------------------------------------------------------------------------------------------------

/** A word where it is typed: `from` is behind a quotation mark, so that what is typed is compared with the label. */
function completionOf(word: Word, rank: number, quoted: boolean): Completion {
  return {
    label: word.label,
    detail: word.detail,
    type: ICONS[word.kind],
    boost: -Math.min(99, rank),
    ...(word.doc && {
      info: () => {
        const dom = document.createElement("div");
        render(h(CardText, { text: word.doc }), dom);
        return dom;
      },
    }),
    apply: (view, completion, from, to) => {
      const begin = quoted ? from - 1 : from;
      const closes = quoted && view.state.sliceDoc(to, to + 1) === '"' && word.insert.startsWith('"');
      const end = closes ? to + 1 : to;
      if (word.is_snippet) snippet(templateOf(word.insert))(view, completion, begin, end);
      else
        view.dispatch({
          changes: { from: begin, to: end, insert: word.insert },
          selection: { anchor: begin + word.insert.length },
          userEvent: "input.complete",
        });
    },
  };
}

async function words(help: Help, context: CompletionContext): Promise<CompletionResult | null> {
  const typed = context.matchBefore(/[\w%$\\"][\w.%$\\-]*/);
  if (!context.explicit && !typed) return null;
  const found = await help.words(context.pos);
  const first = found[0];
  if (!first || context.aborted) return null;
  const quoted = context.state.sliceDoc(first.from, first.from + 1) === '"' && first.from < context.pos;
  const from = quoted ? first.from + 1 : first.from;
  const options = found.filter((word) => word.from === first.from).map((word, k) => completionOf(word, k, quoted));
  return { from, options, validFor: /^[\w.%$\\-]*$/ };
}

// ---- Folding: the kernel's places, moved along with the text until it tells of others ------------------------------------

export const setFolds = StateEffect.define<readonly Place[]>();
const folds = StateField.define<readonly Place[]>({
  create: () => [],
  update(value, tr) {
    for (const effect of tr.effects) if (effect.is(setFolds)) return effect.value;
    if (!tr.docChanged) return value;
    return value.map(({ from, to }) => ({ from: tr.changes.mapPos(from, 1), to: tr.changes.mapPos(to, -1) }));
  },
});
const folded = foldService.of((state, lineFrom, lineTo) => {
  const here = state.field(folds).filter(({ from, to }) => from >= lineFrom && from <= lineTo && to > lineTo);
  const last = Math.max(...here.map(({ to }) => to));
  return here.length > 0 ? { from: lineTo, to: last } : null;
});

// ---- Commands ---------------------------------------------------------------------------------------------------------------

/** Ask for another name for the one at the caret, and give it everywhere. */
export async function rename(view: EditorView, help: Help): Promise<void> {
  const at = view.state.selection.main.head;
  const span = (await help.places(at))?.renamable;
  if (!span) return;
  const old = view.state.sliceDoc(span.from, span.to);
  const { close, result } = showDialog(view, {
    label: `Another name for ${old}`,
    input: { name: "name", type: "text", value: old, spellcheck: "false" },
    submitLabel: "rename",
    class: "pad-rename",
    focus: true,
    top: true,
  });
  const form = await result;
  const name = (form?.elements.namedItem("name") as HTMLInputElement | null)?.value ?? old;
  const changes = form && name !== old ? await help.rename(at, name) : null;
  view.dispatch({ effects: close, ...(changes && { changes, userEvent: "rename" }) });
  view.focus();
}

export async function layOut(view: EditorView, help: Help): Promise<void> {
  const changes = await help.layout();
  if (changes && changes.length > 0) view.dispatch({ changes, userEvent: "format" });
}

export const helped = (help: Help): Extension => [
  autocompletion({ override: [(context) => words(help, context)], activateOnTypingDelay: 150, maxRenderedOptions: 9 }),
  closeBrackets(),
  EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["(", "[", "{", '"'] } }]),
  search({ top: true }),
  folds,
  folded,
  codeFolding(),
  foldGutter({ foldingChanged: (update) => update.startState.field(folds) !== update.state.field(folds) }),
  keymap.of([...closeBracketsKeymap, ...searchKeymap, ...foldKeymap]),
];
