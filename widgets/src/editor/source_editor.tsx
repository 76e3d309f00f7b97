// The editor as a component: made once, then told what changes; what the reader does goes to the pad's store.

import { effect, type Signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ruleOf, stateOf } from "../kit";
import type { Store } from "../store";
import type { Span } from "../wire";
import { type Area, spelling } from "./cm_marks";
import { CodeEditor } from "./code_editor";
import { type Heat, heatOf, type Region } from "./heat";
import { Help } from "./help";
import { keywordBars } from "./keywords";
import { offsetsOf } from "./offsets";
import type { PadStore } from "./pad_store";
import { ruleAround } from "./spelling";

export interface Seen {
  /** places of the text, in bytes */
  live: readonly Span[];
  marked: readonly Span[];
  heat: readonly Heat[];
  /** a session runs under the text */
  isRun: boolean;
}
export const NOT_SEEN: Seen = { live: [], marked: [], heat: [], isRun: false };

/** Whether the session runs under the text as it is: else its places are not this text's. */
export const runsUnder = (store: Store | null, text: string): boolean =>
  store?.link.trace.value?.header.grammar.text === text;

/** What the session says of places of the text: where the parse stands, what is selected, heat. */
export function useSeen(pad: PadStore, store: Store | null): Seen {
  const text = pad.text.value;
  const trace = store?.link.trace.value ?? null;
  const good = pad.good.value;
  const regions = useMemo((): Region[] => {
    if (!good?.is_source) return [];
    return good.rules.map(({ name, span: [begin, end] }) => ({ name, begin, end }));
  }, [good]);
  const under = runsUnder(store, text) && good?.text === text;
  const measure = pad.measure.value;
  const heat = useMemo(() => (trace && under ? heatOf(trace, regions, measure) : []), [trace, under, regions, measure]);
  if (!store || !trace || !under) return NOT_SEEN;
  const selection = store.selection.value;
  const chosen = stateOf(trace.program, selection.state);
  const rule = ruleOf(trace.program, selection.rule);
  return {
    live: (store.step.value?.live ?? []).flatMap((item) => trace.program.states[item.state]?.spans ?? []),
    marked: chosen ? chosen.spans : rule ? [[rule.span[0], rule.span[0] + rule.name.length]] : [],
    heat,
    isRun: trace.steps.some((one) => one.mask_us !== null),
  };
}

/** Lines' bars: keywords' states in a schema, heat of the rule elsewhere. */
function barsOf(pad: PadStore, seen: Seen): Map<number, string> {
  const state = pad.state.peek();
  if (state && state.keywords.length > 0) return keywordBars(state.keywords);
  const bars = new Map<number, string>();
  const text = pad.text.peek();
  const { unit } = offsetsOf(text);
  const lineAt = (byte: number) => text.slice(0, unit(byte)).split("\n").length;
  const measure = pad.measure.peek();
  for (const { name, level } of seen.heat) {
    const rule = pad.good.peek()?.rules.find((one) => one.name === name);
    if (!rule) continue;
    const last = lineAt(Math.max(rule.span[0], rule.span[1] - 1));
    for (let k = lineAt(rule.span[0]); k <= last; k++) bars.set(k, `${measure} heat-${level}`);
  }
  return bars;
}

interface Props {
  pad: PadStore;
  shadow: ShadowRoot;
  seen: Seen;
  editor: { current: CodeEditor | null };
  hovered: Signal<string | null>;
}

export function SourceEditor({ pad, shadow, seen, editor, hovered }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const kind = useSignal(pad.state.peek()?.kind ?? "ebnf");
  const heat = useRef(seen.heat);
  heat.current = seen.heat;
  useLayoutEffect(() => {
    const made = new CodeEditor(
      box.current as HTMLElement,
      {
        root: shadow,
        label: "Grammar",
        text: pad.text.peek(),
        kept: pad.kept,
        help: new Help(
          pad,
          () => pad.text.peek(),
          () => pad.state.peek()?.kind ?? "ebnf",
        ),
        typed: (text) => pad.type(text),
        apply: () => {
          if (pad.state.peek()?.has_session) pad.apply();
        },
        moved: (at) => {
          pad.caret.value = at;
          const name = ruleAround(made.view.state.field(spelling).rules, at);
          if (name !== null) pad.rule.value = name;
        },
        heatOf: (name) => {
          return heat.current.find((one) => one.name === name)?.said ?? null;
        },
      },
      hovered,
    );
    editor.current = made;
    const stops = [
      effect(() => made.setText(pad.text.value)),
      effect(() => {
        kind.value = pad.state.value?.kind ?? "ebnf";
      }),
      effect(() => made.setKind(kind.value)),
      effect(() => {
        const state = pad.state.value;
        if (state) made.setFindings(state.findings, pad.isFresh.value);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      pad.kept = made.kept();
      made.destroy();
      editor.current = null;
    };
  }, [pad, shadow]);
  const places = JSON.stringify([seen.live, seen.marked]);
  const keywords = pad.state.value?.keywords;
  const bars = useMemo(() => barsOf(pad, seen), [keywords, seen.heat, pad]);
  useEffect(() => {
    const { unit } = offsetsOf(pad.text.peek());
    const area =
      (cls: string) =>
      ([b, e]: Span): Area => ({ from: unit(b), to: unit(e), cls });
    editor.current?.setMarks([...seen.live.map(area("live-here")), ...seen.marked.map(area("sel-here"))], bars);
  }, [places, bars, editor]);
  return <div class="pad-text" ref={box} />;
}
