// DispatchView: has my tag been triggered, and if not, which byte broke it?
//
// Reader sees  the bytes of the output with the mode and how far a trigger was read; each trigger's tally; the automaton that watches.
//              Python -> browser: the program's dispatch facts, the chart. Browser -> Python: the step whose token holds a byte.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Empty, Panel, useWidth } from "../../parts/small";
import { StepSlider } from "../../parts/step_slider";
import type { Store } from "../../store";
import { plural, visible } from "../../text";
import type { PanelProps } from "../../view";
import type { Rule, Step, Trace } from "../../wire";
import {
  continuedBy,
  dispatchRule,
  nodeAt,
  type Reading,
  readingsOf,
  type TagsAt,
  type Trie,
  tagsAt,
  tagsSaid,
  talliesOf,
  textsBegun,
  trieLayout,
  trieOf,
} from "./layout";
import { byteAtX, byteWindow, StripDrawing } from "./strip";
import { Bytes, Nodes, Tags, Texts } from "./tables";
import { TrieDrawing } from "./trie";

/** The answer in a sentence: what is read at the cursor, and what would have to come. */
function sentence(rule: Rule, trie: Trie, trace: Trace, reading: Reading, tags: TagsAt | null): string {
  const watched = reading.place ? rule.dispatch?.texts[reading.place.text] : undefined;
  const hasFired = reading.place?.mode === "dispatched";
  if (tags && (hasFired || !reading.dispatching)) return `${hasFired ? "Fired" : "Dispatched"}: ${tagsSaid(tags)}.`;
  if (hasFired) return `Fired: ${visible(watched?.text ?? "")} was read to its end.`;
  if (reading.dispatched && !reading.dispatching) {
    const inside = new Set(trace.chart.columns[reading.at]?.map(([state]) => trace.program.states[state]?.rule));
    const names = trace.program.rules.filter((r) => inside.has(r.id) && r.id !== rule.id).map((r) => r.name);
    return `Dispatched: inside ${names.slice(0, 3).join(", ")}.`;
  }
  if (!reading.dispatching) return "The dispatch is over, or has not begun.";
  if (!reading.place || reading.place.n_read === 0 || !watched)
    return "Dispatching: free text, nothing of a trigger is read.";
  const { n_read } = reading.place;
  const far = textsBegun(trie, reading.place).map((k, first) => {
    const of = `${n_read} of ${trie.bytes[k]?.length}`;
    return `${first === 0 ? `${of} bytes` : of} of ${visible(rule.dispatch?.texts[k]?.text ?? "")}`;
  });
  const more = far.length > 3 ? ` and ${far.length - 3} more` : "";
  return `Dispatching: ${far.slice(0, 3).join(", ")}${more} read; ${continuedBy(trie, nodeAt(trie, reading.place))} continues it, any other byte breaks it.`;
}

function Strip({
  store,
  trace,
  readings,
  longest,
  width,
}: {
  store: Store;
  trace: Trace;
  readings: Reading[];
  longest: number;
  width: number;
}) {
  const step = store.step.value as Step;
  const cursor = step.byte_begin;
  const view = byteWindow(readings.length, width, cursor + 1);
  const stepUnder = (x: number) => {
    const at = byteAtX(view, x);
    return at === null ? null : trace.steps.findLast((s) => s.byte_begin <= Math.max(0, at - 1))?.index;
  };
  return (
    <StepSlider
      store={store}
      n={trace.steps.length}
      cursor={step.index}
      cls="cache-lanes"
      label="Dispatch over the bytes of the output"
      text={`step ${step.index}, byte ${cursor}`}
      at={stepUnder}
    >
      <StripDrawing readings={readings} view={view} longest={longest} cursor={cursor} width={width} />
    </StepSlider>
  );
}

function Body({
  store,
  trace,
  rule,
  width,
  table,
}: {
  store: Store;
  trace: Trace;
  rule: Rule;
  width: number;
  table: boolean;
}) {
  const trie = useMemo(() => trieOf(rule.dispatch?.texts ?? []), [rule]);
  const readings = useMemo(() => readingsOf(trace, rule), [trace, rule]);
  const tallies = useMemo(() => talliesOf(trie, readings), [trie, readings]);
  const layout = useMemo(() => trieLayout(trie, width), [trie, width]);
  const cursor = store.step.value?.byte_begin ?? 0;
  const now = readings[cursor];
  if (!now)
    return (
      <Empty title="Not recorded here">
        The chart gives a dispatch's position, and this byte's column was not recorded: see record_chart and
        limits.chart_columns.
      </Empty>
    );
  const longest = Math.max(1, ...trie.bytes.map((data) => data.length));
  const node =
    now.dispatching || now.place ? nodeAt(trie, now.place ?? { mode: "dispatching", text: 0, n_read: 0 }) : null;
  const tags = tagsAt(trace, rule, readings, cursor);
  const said = sentence(rule, trie, trace, now, tags);
  return (
    <>
      <p class="cache-fill" data-said>
        <span class="pen">step {store.step.value?.index}</span> {said}
      </p>
      {table ? (
        <Bytes rule={rule} readings={readings} cursor={cursor} />
      ) : (
        <Strip store={store} trace={trace} readings={readings} longest={longest} width={width} />
      )}
      <p class="xs faint">amber: armed; teal: fired; a byte in a frame broke what was read</p>
      {tags && <Tags tags={tags} />}
      <Texts rule={rule} trie={trie} tallies={tallies} at={now} wide={width >= 560} />
      {layout && !table ? (
        <>
          <p class="xs faint trie-head">
            automaton of {rule.name}, {plural(trie.nodes.length, "node")}; dashed: where it goes on when no byte fits
          </p>
          <TrieDrawing {...layout} width={width} at={node} said={`Automaton of ${rule.name}. ${said}`} />
        </>
      ) : (
        !table && (
          <>
            <p class="xs faint trie-head">
              automaton of {rule.name}, {plural(trie.nodes.length, "node")}: the way to the current node, then what can
              follow
            </p>
            <Nodes trie={trie} at={node} />
          </>
        )
      )}
    </>
  );
}

export function DispatchView({ store }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  const trace = store.link.trace.value;
  const step = store.step.value;
  const rule = trace ? dispatchRule(trace.program, step?.live) : null;
  const texts = rule?.dispatch?.texts ?? [];
  const n = (kind: string) => texts.filter((text) => text.kind === kind).length;
  return (
    <Panel
      readout={
        rule &&
        `${rule.name}: ${plural(n("trigger"), "trigger")}, ${plural(n("stop"), "stop string")}, ${plural(n("exclude"), "exclude")}`
      }
      table={table.value}
      onTable={
        rule
          ? () => {
              table.value = !table.value;
            }
          : undefined
      }
    >
      <div class="body" ref={box}>
        {!rule && (
          <Empty title="This grammar has no tags">
            It constrains every byte from the first on. To let the model write freely until a tool call, watch for a tag
            that opens a rule: <code>root ::= TagDispatch(("&lt;tool&gt;", call))</code>
          </Empty>
        )}
        {trace && step && rule && width > 0 && (
          <Body store={store} trace={trace} rule={rule} width={width} table={table.value} />
        )}
      </div>
    </Panel>
  );
}
