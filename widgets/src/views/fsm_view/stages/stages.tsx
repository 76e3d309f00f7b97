// The machine of a rule before and after each pass: which states are new, which are gone, which stand for several.
//
// Reader sees  a pass to choose, the machine before it beside the one after it, or the latter alone. A state that is chosen in one
//              is ringed in the other. Browser -> Python: a rule's name. Python -> browser: its stages, asked for once; the trait `stages` keeps
//              those that were looked at last, for pages without a kernel.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorOf, notRecorded, python } from "../../../answers";
import { Empty, Refusal, Seg } from "../../../parts/small";
import type { Store } from "../../../store";
import { plural } from "../../../text";
import type { PanelProps } from "../../../view";
import type { Program, Rule, Trace, WireError, WireStage } from "../../../wire";
import { choose } from "../table";
import { StageFigure } from "./figure";
import { areOf, earlyRules, said, shortName, standIns, whatItDoes } from "./layout";

export interface StagesProps extends PanelProps {
  trace: Trace;
  rule: Rule;
  live: ReadonlyMap<number, number>;
  width: number;
}
const SEGMENTS = 640; // narrower cells have a menu of passes
const BESIDE = 560; // and narrower ones have the two machines one above the other
const SIDES = [
  ["one", "one"],
  ["both", "side by side"],
] as const;

type Asked = { stages: WireStage[] } | { error: WireError } | null;
const known = new WeakMap<Program, Map<string, WireStage[]>>();

function useStages(store: Store, program: Program, name: string): Asked {
  const failed = useSignal<{ of: string; error: WireError } | null>(null);
  const turn = useSignal(0);
  turn.value;
  const mine = known.get(program) ?? new Map<string, WireStage[]>();
  known.set(program, mine);
  const kept = store.link.handle.model.get("stages")?.[name];
  if (!mine.has(name) && kept && areOf(kept, program, name)) mine.set(name, kept);
  const found = mine.get(name);
  useEffect(() => {
    if (found) return;
    if (!store.canCommand.peek()) {
      const lines = ["from xg2lab.widgets import FsmView", `FsmView(session).stages(${python(name)})`];
      failed.value = { of: name, error: notRecorded("The machine before each pass of this rule", ...lines) };
      return;
    }
    failed.value = null;
    store.link.channel.call("stages", { rule: name }, 60_000).then(
      ({ content }) => {
        mine.set(name, content.stages);
        turn.value++;
      },
      (error: unknown) => {
        failed.value = { of: name, error: errorOf(error) };
      },
    );
  }, [store, name, found, mine, failed, turn]);
  if (found) return { stages: found };
  return failed.value?.of === name ? { error: failed.value.error } : null;
}

export function FsmStages({ store, trace, rule, live, width }: StagesProps) {
  const early = useSignal<string | null>(null);
  const at = useSignal<string | null>(null);
  const sides = useSignal<"one" | "both">("both");
  const chosen = useSignal<{ after: boolean; state: number } | null>(null);
  useEffect(() => {
    early.value = null;
  }, [rule.id, early]);
  const name = early.value ?? rule.name;
  const asked = useStages(store, trace.program, name);
  useEffect(() => {
    chosen.value = null;
  }, [name, at.value, chosen]);
  if (!asked) return <Empty title="Loading">The kernel compiles the grammar once more for each pass.</Empty>;
  if ("error" in asked) return <Refusal error={asked.error} />;
  const { stages } = asked;
  const own = stages.findLastIndex((stage) => stage.machine);
  const wanted = stages.findIndex((stage) => stage.name === at.value);
  const k = wanted < 0 ? Math.max(own, 0) : wanted;
  const [stage, before] = [stages[k] as WireStage, k > 0 ? (stages[k - 1] as WireStage) : null];
  const isLast = k === stages.length - 1;
  const both = sides.value === "both" && before !== null;
  const column = both && width > BESIDE ? Math.floor((width - 25) / 2) : width;
  const others = earlyRules(stages, trace.program.rules);
  const pick = chosen.value;
  const stands = stage.marks?.stands_for ?? [];
  const now = before?.machine && stage.marks ? standIns(stage.marks, before.machine.states.length) : [];
  const lives = new Map([...live].map(([state, n]) => [state - rule.states[0], n]));
  const go = (to: string) => {
    at.value = to;
  };
  return (
    <div class="fsm-stages" data-stages={name} data-stage={stage.name}>
      <div class="stage-row">
        <span class="xs faint">after</span>
        {width >= SEGMENTS ? (
          <Seg
            label="The machine after"
            options={stages.map((s) => [s.name, shortName(s.name)])}
            on={stage.name}
            pick={go}
          />
        ) : (
          <select
            class="field"
            aria-label="The machine after"
            value={stage.name}
            onChange={(e) => go(e.currentTarget.value)}
          >
            {stages.map((s) => (
              <option key={s.name} value={s.name}>
                {shortName(s.name)}
              </option>
            ))}
          </select>
        )}
        <Seg
          label="Pictures"
          options={SIDES}
          on={sides.value}
          pick={(to) => {
            sides.value = to;
          }}
        />
        {(others.length > 0 || early.value) && (
          <select
            class="field mono"
            data-early
            aria-label="Rules that were written into their callers"
            value={early.value ?? ""}
            onChange={(event) => {
              early.value = event.currentTarget.value || null;
              at.value = null;
            }}
          >
            <option value="">{early.value ? `back to ${rule.name}` : plural(others.length, "inlined rule")}</option>
            {others.map((other) => (
              <option key={other} value={other}>
                {other}
              </option>
            ))}
          </select>
        )}
      </div>
      <p class="s dim" role="status">
        {whatItDoes(stage.name)} {said(before, stage)}
      </p>
      <div class={both && width > BESIDE ? "stage-pair" : ""}>
        {both && before && (
          <StageFigure
            store={store}
            stage={before}
            name={name}
            width={column}
            which="before"
            marks={{ now }}
            chosen={pick && !pick.after ? pick.state : null}
            ringed={pick?.after ? (stands[pick.state] ?? []) : []}
            live={null}
            pick={(state) => {
              chosen.value = { after: false, state };
            }}
          />
        )}
        <StageFigure
          store={store}
          stage={stage}
          name={name}
          width={column}
          which="after"
          marks={stage.marks ? { after: stage.marks } : {}}
          chosen={pick?.after ? pick.state : null}
          ringed={pick && !pick.after ? (now[pick.state] ?? []) : []}
          live={isLast && !early.value ? lives : null}
          pick={(state) => {
            chosen.value = { after: true, state };
            const real = isLast && !early.value ? trace.program.states[state + rule.states[0]] : undefined;
            if (real) choose(store, real);
          }}
        />
      </div>
      <p class="xs faint" data-live-note>
        {isLast && !early.value
          ? "This machine runs: live states are lit."
          : `No live states here: only the machine after ${shortName((stages.at(-1) as WireStage).name)} runs.`}{" "}
        Heavy outline with +: a new state, from that rule. Broken outline: gone. =: merged from these states. →: split
        into these states. A ring marks the chosen state in the other machine.
      </p>
    </div>
  );
}
