// The editor itself: CodeMirror within a shadow root, its keys, and its text kept in step with the pad's.
//
// Keys  F8, shift F8: next finding, the one before; F12: the name's definition, or its next use; shift F12: its places light up;
//       F2: another name; shift alt F: layout; tab indents; escape, then tab, leaves the editor; ctrl or command enter applies.
//       cm_help.ts has those of completion, search and folding.

import { defaultKeymap, history, historyField, historyKeymap, insertNewlineKeepIndent } from "@codemirror/commands";
import { Annotation, EditorState, type Extension, type StateEffect, Transaction } from "@codemirror/state";
import { type Command, EditorView, highlightSpecialChars, keymap, tooltips } from "@codemirror/view";
import type { Signal } from "@preact/signals";
import { escaped, HIDDEN } from "../kit";
import type { Finding, PadKind } from "../wire";
import { findingsNow, isOpen, openFinding, type Placed, setFindings } from "./cm_findings";
import { helped, layOut, rename, setFolds } from "./cm_help";
import { type Area, type Bars, marks, setAreas, setBars, setKind, spelling } from "./cm_marks";
import type { Help, Places } from "./help";
import { offsetsOf } from "./offsets";
import { ruleCards } from "./rule_card";

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
  /** the state of an editor of the same text that was on screen before: what can be undone */
  kept: unknown;
  help: Help;
  typed: (text: string) => void;
  /** the caret is somewhere else */
  moved: (at: number) => void;
  apply: () => void;
  heatOf: (rule: string) => string | null;
}

/** Cards and lists stay within the editor's sides: what sticks out would make its panel scroll. */
const withinTheEditor = ({ dom }: EditorView) => {
  const { left, right } = dom.getBoundingClientRect();
  return { left, right, top: 0, bottom: innerHeight };
};

/** The first state: the text, with what could be undone in the editor before. */
function begun({ kept, text }: EditorWishes, extensions: Extension): EditorState {
  const old = kept as { doc?: string } | null;
  if (old?.doc === text) return EditorState.fromJSON(old, { extensions }, { history: historyField });
  return EditorState.create({ doc: text, extensions });
}

export class CodeEditor {
  readonly view: EditorView;
  #resting = 0;
  #folding = 0;
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
      { key: "Mod-.", run: run(() => this.mendHere()) },
      { key: "F12", run: run(() => void this.goToDefinition()), shift: run(() => void this.showUses()) },
      { key: "F2", run: run((view) => void rename(view, wishes.help)) },
      { key: "Shift-Alt-f", run: run((view) => void layOut(view, wishes.help)) },
      { key: "Mod-Enter", run: run(() => wishes.apply()) },
      { key: "Tab", run: run((view) => view.dispatch(view.state.replaceSelection("  "))) },
      { key: "Enter", run: insertNewlineKeepIndent },
    ]);
    const extensions = [
      keys,
      history(),
      helped(wishes.help),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.lineWrapping,
      highlightSpecialChars({ specialChars: HIDDEN, render: hiddenCharacter }),
      EditorView.contentAttributes.of({
        "aria-label": wishes.label,
        spellcheck: "false",
        tabindex: "0",
        "data-pad-text": "",
      }),
      tooltips({ position: "absolute", tooltipSpace: withinTheEditor }),
      ruleCards({
        card: (at) => wishes.help.card(at),
        usesOf: (name) => this.view.state.field(spelling).rules.uses.get(name)?.length ?? 0,
        heatOf: wishes.heatOf,
        light: (name) => queueMicrotask(() => this.#light(name)), // the card comes within an update
      }),
      marks,
      EditorView.domEventHandlers({
        mousedown: (event, view) => {
          const at = event.ctrlKey || event.metaKey ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null;
          if (at === null || event.button !== 0) return false;
          event.preventDefault();
          void this.goToDefinition(at);
          return true;
        },
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.some((tr) => tr.annotation(Ours)))
          wishes.typed(update.state.doc.toString());
        if (update.docChanged || update.selectionSet) this.#rest();
        if (update.docChanged) this.#foldLater();
        if (update.selectionSet) wishes.moved(update.state.selection.main.head);
      }),
    ];
    this.view = new EditorView({ parent, root: wishes.root, state: begun(wishes, extensions) });
    this.#foldLater();
  }

  /** What an editor of the same text can begin with. */
  kept(): unknown {
    return this.view.state.toJSON({ history: historyField });
  }

  destroy(): void {
    clearTimeout(this.#resting);
    clearTimeout(this.#folding);
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
    // the first text is not a change that could be undone
    const annotations = [Ours.of(true), ...(old === "" ? [Transaction.addToHistory.of(false)] : [])];
    this.view.dispatch({ changes: { from, to: end, insert: text.slice(from, to) }, annotations });
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

  /** The change of the finding that the caret is in, or of the first that has one. */
  mendHere(): void {
    const { head } = this.view.state.selection.main;
    const all = findingsNow(this.view).filter(({ fix }) => fix);
    const finding = all.find(({ from, to }) => from <= head && head <= to) ?? all[0];
    if (finding) this.mend(finding);
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

  /** The kernel tells which lines can be folded, once the author rests. */
  #foldLater(): void {
    clearTimeout(this.#folding);
    this.#folding = setTimeout(async () => {
      const places = await this.wishes.help.folds();
      if (places && this.view.dom.isConnected) this.view.dispatch({ effects: setFolds.of(places) });
    }, REST_MS) as unknown as number;
  }

  /** Go to the definition of a rule that a list names. */
  goToRule(name: string): void {
    const definition = this.view.state.field(spelling).rules.definitions.get(name);
    if (definition) this.reveal(definition.from, definition.to);
  }

  /** From a name to its definition; from a definition to its next use, in a circle. */
  async goToDefinition(at = this.view.state.selection.main.head): Promise<void> {
    const found = await this.wishes.help.places(at);
    if (!found?.definition || !this.view.dom.isConnected) return;
    const { definition, places } = found;
    const stands = definition.from <= at && at <= definition.to;
    const uses = places.filter(({ from }) => from !== definition.from);
    const target = stands ? (uses.find(({ from }) => from > at) ?? uses[0]) : definition;
    if (target) this.reveal(target.from, target.to);
  }

  async showUses(): Promise<void> {
    const found = await this.wishes.help.places(this.view.state.selection.main.head);
    if (found && this.view.dom.isConnected) this.#show(found.places);
  }

  #light(name: string | null): void {
    if (!this.view.dom.isConnected) return;
    const { rules } = this.view.state.field(spelling);
    const definition = name === null ? undefined : rules.definitions.get(name);
    this.hovered.value = name;
    this.#show([...(definition ? [definition] : []), ...((name !== null && rules.uses.get(name)) || [])]);
  }

  #show(places: Places["places"]): void {
    this.#uses = places.map(({ from, to }) => ({ from, to, cls: "use" }));
    this.#dispatch([this.#allAreas()]);
  }
}
