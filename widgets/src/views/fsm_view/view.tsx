// FsmView: the machine of one rule, with the states the parse stands in, and what is known of the mask at a state.
//
// Reader sees  the selected rule's machine, else that of the innermost live item; facts of the selected or live state's mask entry.
//              Python -> browser: program, live items, entries. Browser -> Python: rule and state selected; finished layouts, to be saved.
import { useSignal } from "@preact/signals";
import { useCallback, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Notes, notesAbout } from "../../parts/notes";
import { reveal } from "../../parts/reveal";
import { whenSeen } from "../../parts/seen";
import { Empty, Panel, Toggle, useWidth } from "../../parts/small";
import type { Store } from "../../store";
import { plural } from "../../text";
import { ruleInFocus, ruleOf } from "../../trace";
import type { PanelProps } from "../../view";
import type { Rule, Trace } from "../../wire";
import { GrammarSwitch, useDrawn } from "../chart_view/grammar";
import { engineOf, modeOf, placeIn, selectPlace } from "../chart_view/written";
import { EntryFacts } from "./entry";
import { useFitted } from "./fitted";
import { FsmDrawing } from "./graph";
import type { Fitted } from "./layout/fit";
import { type FsmGraph, fsmGraph, neighbourhood } from "./layout/fsm";
import type { Lit } from "./nodes";
import { FsmSearch, SEARCHED } from "./search";
import { FsmStages } from "./stages/stages";
import { FsmTable } from "./table";

const MOST_NODES = 160;

/** What was selected goes before what is live. */
const lightest = (box: HTMLElement): Element | null =>
  box.querySelector("[aria-pressed=true], [data-chosen]") ?? box.querySelector("[data-live]");

const holds = (graph: FsmGraph, state: number): boolean =>
  graph.nodes.some((node) => (node.kind === "state" ? node.state.id === state : node.states.includes(state)));
const nodeOf = (graph: FsmGraph, state: number): string =>
  graph.nodes.find((node) => (node.kind === "state" ? node.state.id === state : node.states.includes(state)))?.id ??
  graph.start;

/** What is shown of a large machine: the same part as long as what is selected, else anything live, is in it; or the part round that. */
function useShown(whole: FsmGraph, lit: Lit): FsmGraph {
  const shown = useRef<{ whole: FsmGraph; part: FsmGraph } | null>(null);
  const chosen = lit.selected !== null && holds(whole, lit.selected) ? [lit.selected] : [];
  const wanted = chosen.length > 0 ? chosen : [...lit.live.keys()].filter((s) => holds(whole, s));
  const kept = shown.current?.whole === whole ? shown.current.part : null;
  if (!kept || (wanted.length > 0 && !wanted.some((s) => holds(kept, s)))) {
    const centre = wanted[0] === undefined || whole.nodes.length <= MOST_NODES ? whole.start : nodeOf(whole, wanted[0]);
    shown.current = { whole, part: neighbourhood(whole, centre, MOST_NODES) };
  }
  return (shown.current as { part: FsmGraph }).part;
}

function Picture({
  store,
  trace,
  rule,
  lit,
  width,
}: {
  store: Store;
  trace: Trace;
  rule: Rule;
  lit: Lit;
  width: number;
}) {
  const whole = useMemo(() => fsmGraph(trace.program, rule), [trace.program, rule]);
  const graph = useShown(whole, lit);
  const { state, fit, beside } = useFitted(store, graph, width);
  const before = useRef<({ graph: FsmGraph; rule: Rule } & Fitted) | null>(null);
  if (fit) before.current = { graph, rule, ...fit };
  const shown = before.current;
  const pick = useCallback(
    (id: number) => {
      const chosen = trace.program.states[id];
      if (chosen) selectPlace(store, trace, chosen.rule, id);
    },
    [store, trace],
  );
  const box = useRef<HTMLDivElement>(null);
  const lives = [...lit.live.keys()].join();
  useLayoutEffect(() => {
    const { current } = box;
    return current ? whenSeen(current, () => reveal(current, lightest(current))) : undefined;
  }, [lives, lit.selected, state.layout]);
  return (
    <div class={beside ? "fsm-grid wide" : "fsm-grid"}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key */}
      <section class="fsm-box" ref={box} tabIndex={0} aria-label={`Machine of ${rule.name}`}>
        {/* the old layout stays, in grey, until the new one is ready; then it is replaced at once */}
        {shown ? (
          <div class={state.layout ? "" : "stale"}>
            <FsmDrawing {...shown} lit={lit} pick={pick} />
          </div>
        ) : (
          <p class="faint laying-out">laying out {graph.nodes.length} nodes …</p>
        )}
        {state.note && <p class="xs faint">{state.note}</p>}
        {graph.nodes.length < whole.nodes.length && (
          <p class="xs faint">
            {graph.nodes.length} of {whole.nodes.length} nodes, round what is lit
          </p>
        )}
      </section>
      <EntryFacts store={store} wide={beside} />
    </div>
  );
}

export function FsmView({ store }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  const query = useSignal("");
  const passes = useSignal(false);
  const mode = modeOf(store);
  // passes lead from the grammar to the engine's machine
  const { trace, step } = useDrawn(store, passes.value ? "engine" : mode.value, width > 0);
  const place = trace ? placeIn(store, trace) : store.selection.value;
  const rule = trace ? ruleOf(trace.program, ruleInFocus(trace, place, step)) : null;
  const isWritten = trace !== null && engineOf(trace) !== null;
  const live = new Map<number, number>();
  for (const item of step?.live ?? []) live.set(item.state, (live.get(item.state) ?? 0) + 1);
  const why = store.candidate.value;
  const lit: Lit = {
    live,
    selected: place.state,
    candidate: new Set(
      (isWritten ? why?.walk_as_written : why?.walk)?.flatMap((w) => w.items.map((item) => item.state)),
    ),
  };
  const liveRules = new Set(step?.live.map((i) => i.rule));
  const n = trace && rule ? rule.states[1] - rule.states[0] : 0;
  const picker = trace && rule && (
    <label class="rule-picker">
      <span class="unseen">Rule</span>
      <select
        class="field mono"
        value={rule.id}
        data-rule
        onChange={(event) => selectPlace(store, trace, Number(event.currentTarget.value), null)}
      >
        {trace.program.rules.map((r) => (
          <option key={r.id} value={r.id}>
            {r.name}
            {liveRules.has(r.id) ? " ●" : ""}
          </option>
        ))}
      </select>
      {place.rule !== null && (
        <button type="button" class="link xs" onClick={() => selectPlace(store, trace, null, null)}>
          follow
        </button>
      )}
    </label>
  );
  return (
    <Panel
      readout={rule && `${plural(n, "state")}${liveRules.has(rule.id) ? ", live" : ""}`}
      tools={
        <>
          {trace && rule && n > SEARCHED && !passes.value && (
            <FsmSearch key={rule.id} store={store} trace={trace} rule={rule} query={query} />
          )}
          {picker}
          {!passes.value && <GrammarSwitch store={store} />}
          <Toggle on={passes} letter="p" title="Before and after each pass">
            passes
          </Toggle>
        </>
      }
      table={table.value}
      onTable={() => {
        table.value = !table.value;
      }}
    >
      <div class="body" ref={box}>
        {(!trace || !rule || !step) && <Empty title="No machine yet">Waiting for the session's first step.</Empty>}
        {trace && rule && <Notes store={store} of={notesAbout(trace, { rule: rule.name })} />}
        {trace &&
          rule &&
          step &&
          width > 0 &&
          (passes.value ? (
            <FsmStages store={store} trace={trace} rule={rule} live={live} width={width} />
          ) : table.value ? (
            <FsmTable store={store} trace={trace} rule={rule} lit={lit} query={query.value} />
          ) : (
            <Picture store={store} trace={trace} rule={rule} lit={lit} width={width} />
          ))}
      </div>
    </Panel>
  );
}
