// The editor itself: CodeMirror within a shadow root, its keys, and its text kept in step with the pad's.
//
// Keys  F8, shift F8: next finding, the one before; F12: the rule's definition, or its next use; shift F12: its uses light up;
//       tab indents; escape, then tab, leaves the editor; ctrl or command enter applies.

import { defaultKeymap, history, historyKeymap, insertNewlineKeepIndent } from "@codemirror/commands";
import { Annotation, EditorState, type StateEffect } from "@codemirror/state";
import { type Command, EditorView, highlightSpecialChars, keymap, tooltips } from "@codemirror/view";
import type { Signal } from "@preact/signals";
import { escaped, HIDDEN } from "../kit";
import type { Finding, PadKind, RuleFacts } from "../wire";
import { findingsNow, isOpen, openFinding, type Placed, setFindings } from "./cm_findings";
import { type Area, type Bars, marks, setAreas, setBars, setKind, spelling } from "./cm_marks";
import { offsetsOf } from "./offsets";
import { ruleCards } from "./rule_card";
import { nameAt } from "./spelling";

const REST_MS = 700;
const Ours = Annotation.define<boolean>();

/** Stands in the text for a character that can't be seen. */
function hiddenCharacter(code: number): HTMLElement {
  const shown = document.createElement("span");
  shown.className = "pad-hidden";
  shown.textContent = escaped(String.fromCodePoint(code));
  return shown;
}

export interface EditorWishes {
  root: ShadowRoot;
  label: string;
  text: string;
  typed: (text: string) => void;
  /** the caret is somewhere else */
  moved: (at: number) => void;
  apply: () => void;
  factsOf: (rule: string) => RuleFacts | null;
  heatOf: (rule: string) => string | null;
}

export class CodeEditor {
  readonly view: EditorView;
  #resting = 0;
  #uses: Area[] = [];
  #areas: readonly Area[] = [];

  constructor(
    parent: HTMLElement,
    readonly wishes: EditorWishes,
    readonly hovered: Signal<string | null>,
  ) {
    const run =
      (act: (view: EditorView) => unknown): Command =>
      (view) => {
        act(view);
        return true;
      };
    const keys = keymap.of([
      { key: "F8", run: run(() => this.step(1)), shift: run(() => this.step(-1)) },
      { key: "F12", run: run(() => this.goToRule()), shift: run(() => this.showUses()) },
      { key: "Mod-Enter", run: run(() => wishes.apply()) },
      { key: "Tab", run: run((view) => view.dispatch(view.state.replaceSelection("  "))) },
      { key: "Enter", run: insertNewlineKeepIndent },
    ]);
    this.view = new EditorView({
      parent,
      root: wishes.root,
      state: EditorState.create({
        doc: wishes.text,
        extensions: [
          keys,
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          highlightSpecialChars({ specialChars: HIDDEN, render: hiddenCharacter }),
          EditorView.contentAttributes.of({
            "aria-label": wishes.label,
            spellcheck: "false",
            tabindex: "0",
            "data-pad-text": "",
          }),
          tooltips({ position: "absolute" }),
          ruleCards({
            factsOf: wishes.factsOf,
            heatOf: wishes.heatOf,
            light: (name) => queueMicrotask(() => this.#light(name)), // the card comes within an update
          }),
          marks,
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((tr) => tr.annotation(Ours)))
              wishes.typed(update.state.doc.toString());
            if (update.docChanged || update.selectionSet) this.#rest();
            if (update.selectionSet) wishes.moved(update.state.selection.main.head);
          }),
        ],
      }),
    });
  }

  destroy(): void {
    clearTimeout(this.#resting);
    this.view.destroy();
  }

  // ---- What it is told ---------------------------------------------------------------------------------------------------------

  /** Another text from outside: only what differs is replaced, so that the caret stays. */
  setText(text: string): void {
    const old = this.view.state.doc.toString();
    if (old === text) return;
    let from = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from++;
    let [end, to] = [old.length, text.length];
    while (end > from && to > from && old[end - 1] === text[to - 1]) [end, to] = [end - 1, to - 1];
    this.view.dispatch({ changes: { from, to: end, insert: text.slice(from, to) }, annotations: Ours.of(true) });
  }

  setKind(kind: PadKind): void {
    this.view.dispatch({ effects: setKind.of(kind) });
  }

  setFindings(findings: readonly Finding[], fresh: boolean): void {
    if (!fresh) return;
    const { doc } = this.view.state;
    const { unit } = offsetsOf(doc.toString());
    const placed = findings.map((finding): Placed => {
      let [from, to] = [unit(finding.span[0]), unit(finding.span[1])];
      if (to <= from) [from, to] = from < doc.length ? [from, from + 1] : [Math.max(0, from - 1), from];
      return { ...finding, from, to };
    });
    const kept = placed.filter(({ from, to }) => from < to);
    this.#dispatch([setFindings.of({ findings: kept, fresh }), ...(isOpen(this.view) ? [openFinding.of(null)] : [])]);
    this.#rest();
  }

  /** What is marked in the text and beside it, in one go: the editor measures the page each time that it is told something. */
  setMarks(areas: readonly Area[], bars: Bars): void {
    this.#areas = areas;
    this.#dispatch([this.#allAreas(), setBars.of(bars)]);
  }
  #allAreas(): StateEffect<unknown> {
    return setAreas.of([...this.#areas, ...this.#uses]);
  }

  #dispatch(effects: StateEffect<unknown>[]): void {
    this.view.dispatch({ effects });
  }

  // ---- Going about ----------------------------------------------------------------------------------------------------------------

  reveal(from: number, to = from): void {
    this.view.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: "nearest" }),
    });
    this.view.focus();
  }

  /** The finding after the caret, or before it, in a circle. */
  step(by: 1 | -1): void {
    const all = findingsNow(this.view);
    if (all.length === 0) return;
    const at = this.view.state.selection.main.from;
    const next =
      by > 0 ? (all.find(({ from }) => from > at) ?? all[0]) : (all.findLast(({ from }) => from < at) ?? all.at(-1));
    this.show(next as Placed);
  }

  /** Go to a finding and open its words. */
  show(finding: Placed): void {
    this.reveal(finding.from);
    this.#open(finding);
  }
  showNumber(number: number): void {
    const all = findingsNow(this.view);
    const finding = all[number];
    if (finding) this.show(finding);
  }

  mend(finding: Placed): void {
    if (!finding.fix) return;
    const { from, to, fix } = finding;
    this.view.dispatch({ changes: { from, to, insert: fix.text }, selection: { anchor: from + fix.text.length } });
    this.view.focus();
  }

  #open(finding: Placed | null): void {
    const open = finding && { finding, mend: () => this.mend(finding) };
    this.#dispatch([openFinding.of(open)]);
  }

  /** When the reader rests on a line with an error, it says what is wrong: not before, or lines would jump while typing. */
  #rest(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      const { state } = this.view;
      const { head } = state.selection.main;
      const line = state.doc.lineAt(head);
      const errors = findingsNow(this.view).filter(
        (f) => f.severity === "error" && f.from >= line.from && f.from <= line.to,
      );
      const here = errors.find((f) => f.from <= head && head <= f.to) ?? errors[0];
      if (here && this.view.hasFocus) this.#open(here);
      else if (isOpen(this.view) && !findingsNow(this.view).some((f) => f.from >= line.from && f.from <= line.to))
        this.#open(null);
    }, REST_MS) as unknown as number;
  }

  #nameAt(at: number) {
    const { runs, kind } = this.view.state.field(spelling);
    return nameAt(this.view.state.doc.toString(), runs, at, kind);
  }

  goToRule(name?: string): void {
    const { rules } = this.view.state.field(spelling);
    const here = this.view.state.selection.main.head;
    const wanted = name ?? this.#nameAt(here)?.name;
    const definition = wanted && rules.definitions.get(wanted);
    if (!wanted || !definition) return;
    const stands = !name && definition.from <= here && here <= definition.to;
    const uses = rules.uses.get(wanted) ?? [];
    const target = stands ? (uses.find(({ from }) => from > here) ?? uses[0]) : definition;
    if (target) this.reveal(target.from, target.to);
  }

  showUses(): void {
    const name = this.#nameAt(this.view.state.selection.main.head)?.name ?? null;
    this.#light(name);
  }

  #light(name: string | null): void {
    if (!this.view.dom.isConnected) return;
    const { rules } = this.view.state.field(spelling);
    const definition = name === null ? undefined : rules.definitions.get(name);
    this.#uses = [...(definition ? [definition] : []), ...((name !== null && rules.uses.get(name)) || [])].map(
      ({ from, to }) => ({ from, to, cls: "use" }),
    );
    this.hovered.value = name;
    this.#dispatch([this.#allAreas()]);
  }
}
