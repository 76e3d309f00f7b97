// Beside the source: what it is lowered to, a rule as a railroad, a schema's keywords. Of the last text that was a grammar.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Empty, plural, Seg, useFocusNext, useWidth } from "../kit";
import type { Good } from "../wire";
import type { CodeEditor } from "./code_editor";
import { coded } from "./coded";
import { MEASURES } from "./heat";
import { Keywords, keywordCounts } from "./keywords";
import { offsetsOf } from "./offsets";
import type { PadStore } from "./pad_store";
import { Railroad, ruleToDraw } from "./railroad";
import type { Box } from "./railroad_layout";
import type { Seen } from "./source_editor";
import { runsOf } from "./spelling";

export interface SideProps {
  pad: PadStore;
  good: Good | null;
  seen: Seen;
  editor: { current: CodeEditor | null };
}
const NOTHING = "Nothing yet. The last valid grammar appears here.";

/** A text with the inks of the editor, line by line. */
function Code({ text }: { text: string }) {
  let at = 0;
  const out: ComponentChildren[] = [];
  for (const run of runsOf(text, "ebnf")) {
    out.push(text.slice(at, run.from), <span class={`ink-${run.ink}`}>{text.slice(run.from, run.to)}</span>);
    at = run.to;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
    <section class="lowered" tabIndex={0} aria-label="The lowered grammar">
      {out}
      {text.slice(at)}
    </section>
  );
}

export function Lowered({ good }: SideProps) {
  if (!good) return <p class="faint pad-nothing">{NOTHING}</p>;
  return (
    <>
      <Code text={good.lowered} />
      <ul class="passes">
        {good.passes.map(({ name, shown }, k) => (
          <li key={`${name}${k}`}>
            <span class="faint">{name.replaceAll("_", " ")}</span>
            <span>{coded(shown.slice(name.length + 2))}</span>
          </li>
        ))}
        {good.passes.length === 0 && <li class="faint">no pass changes it</li>}
      </ul>
    </>
  );
}

export function RuleRailroad({ pad, good, seen, editor }: SideProps) {
  const [box, width] = useWidth();
  const rule = good && ruleToDraw(good, pad.rule.value);
  const pick = ({ kind, text, span }: Box) => {
    if (kind === "rule") {
      pad.rule.value = text;
      editor.current?.goToRule(text);
    } else if (good?.is_source && pad.isGoodCurrent.peek()) {
      const { unit } = offsetsOf(pad.text.peek());
      editor.current?.reveal(unit(span[0]), unit(span[1]));
    }
  };
  return (
    <div class="railway" ref={box}>
      {!good && <p class="faint pad-nothing">{NOTHING}</p>}
      {good && rule && (
        <>
          <p class="rail-head">
            <select
              class="field mono"
              aria-label="Rule"
              value={rule.name}
              onChange={(event) => {
                pad.rule.value = event.currentTarget.value;
              }}
            >
              {good.rules
                .filter((one) => one.track)
                .map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.name}
                  </option>
                ))}
            </select>
            <span class="faint xs">
              {rule.n_uses > 0 && plural(rule.n_uses, "use")}
              {seen.live.length > 0 && " blue: the parse is here"}
            </span>
          </p>
          {width > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
            <section class="rail-svg" tabIndex={0} aria-label={`${rule.name} as a railroad`}>
              <Railroad rule={rule} width={Math.min(width, 720)} live={seen.live} marked={seen.marked} pick={pick} />
            </section>
          )}
        </>
      )}
    </div>
  );
}

const SHOWN = MEASURES.map((measure) => [measure, measure] as const);

/** Rules by what is measured, once a session runs under the text; the gutter shows the same. */
export function RuleTimes({ pad, seen, editor }: SideProps) {
  const measure = pad.measure.value;
  const most = measure === "coverage" ? 1 : (seen.heat[0]?.value ?? 1);
  if (!seen.isRun) return null;
  return (
    <>
      <p class="pad-sub">
        <span>rules</span>
        <Seg
          label="Rules and gutter show"
          options={SHOWN}
          on={measure}
          pick={(one) => {
            pad.measure.value = one;
          }}
        />
      </p>
      {seen.heat.length === 0 && <p class="faint xs pad-none">No mask of this run was a miss.</p>}
      <ol class={`rule-times ${measure}`}>
        {seen.heat.slice(0, 8).map(({ name, value, short, said }) => (
          <li key={name} title={said}>
            <button
              type="button"
              class="plain mono clip"
              onClick={() => {
                pad.rule.value = name;
                editor.current?.goToRule(name);
              }}
            >
              {name}
            </button>
            <i style={{ width: `${Math.max(1, (100 * value) / most)}%` }} />
            <span class="num">{short}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

export function KeywordList({ pad, editor }: SideProps) {
  const keywords = pad.state.value?.keywords ?? [];
  if (keywords.length === 0)
    return <Empty title="No keywords">The keywords appear when the text is a JSON Schema.</Empty>;
  return (
    <>
      <p class="faint xs keyword-counts">{keywordCounts(keywords)}</p>
      <Keywords
        keywords={keywords}
        go={({ span }) => {
          const { unit } = offsetsOf(pad.text.peek());
          editor.current?.reveal(unit(span[0]), unit(span[1]));
        }}
      />
    </>
  );
}

/** Tabs of the views that have no place of their own at this width. */
export function SideTabs({ views, first }: { views: Record<string, () => ComponentChildren>; first: string }) {
  const picked = useSignal<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(views);
  const on = picked.value !== null && picked.value in views ? picked.value : first;
  const focusTab = useFocusNext(() => list.current?.querySelector<HTMLElement>("[aria-selected=true]"));
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    picked.value = names[(names.indexOf(on) + by + names.length) % names.length] as string;
    focusTab();
  };
  return (
    <>
      <div class="pad-tabs" role="tablist" aria-label="Beside the source" ref={list} onKeyDown={keys}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === on}
            tabIndex={name === on ? 0 : -1}
            onClick={() => {
              picked.value = name;
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={on}>
        {views[on]?.()}
      </div>
    </>
  );
}
