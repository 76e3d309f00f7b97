// One machine of a stage: its name and counts, the drawing, and over it what the pass did to each state.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { v } from "../../../parts/colour";
import { reveal } from "../../../parts/reveal";
import { whenSeen } from "../../../parts/seen";
import type { Store } from "../../../store";
import type { DrawnProgram, DrawnRule, StageMarks, WireStage } from "../../../wire";
import { useFitted } from "../fitted";
import { FsmDrawing } from "../graph";
import { type FsmGraph, type FsmLayout, fsmGraph, neighbourhood, RADIUS, sizeOf } from "../layout/fsm";
import type { Lit } from "../nodes";
import { counts, markAfter, markBefore, type NodeMark, shortName } from "./layout";

const MOST_NODES = 160;
/** what a mark beside the last node takes */
const MARK_WIDTH = 40;

interface FigureProps {
  store: Store;
  stage: WireStage;
  name: string;
  width: number;
  which: "before" | "after";
  /** of the machine after a pass its marks; of the one before it the states that stand for each now */
  marks: { after?: StageMarks; now?: number[][] };
  chosen: number | null;
  ringed: readonly number[];
  /** null: not the machine that runs */
  live: ReadonlyMap<number, number> | null;
  pick: (state: number) => void;
}

export function StageFigure(props: FigureProps) {
  const { stage, name, which } = props;
  return (
    <figure class="stage" data-which={which}>
      <figcaption class="s">
        <b>{shortName(stage.name)}</b>{" "}
        {stage.machine && (
          <span class="dim" data-counts>
            {counts(stage.machine)}
          </span>
        )}
      </figcaption>
      {stage.machine ? (
        <Machine {...props} machine={stage.machine} />
      ) : (
        <p class="dim s">{stage.note || `${name} has no machine of its own: it was written into its callers.`}</p>
      )}
    </figure>
  );
}

function Machine({
  store,
  stage,
  machine,
  width,
  marks,
  chosen,
  ringed,
  live,
  pick,
}: FigureProps & { machine: DrawnProgram }) {
  const rule = machine.rules[0] as DrawnRule;
  const whole = useMemo(() => fsmGraph(machine, rule), [machine, rule]);
  const graph = useMemo(() => neighbourhood(whole, whole.start, MOST_NODES), [whole]);
  const { state, fit } = useFitted(store, graph, width - MARK_WIDTH, 0);
  const lit: Lit = { live: live ?? new Map(), selected: chosen, candidate: new Set() };
  const box = useRef<HTMLElement>(null);
  const looked = [...ringed, "", ...(live?.keys() ?? [])].join();
  useLayoutEffect(() => {
    const { current } = box;
    const first = "[data-ringed], [aria-pressed=true]";
    const start = `[data-state="${rule.start}"]`;
    const wanted = (at: HTMLElement) =>
      at.querySelector(first) ?? at.querySelector("[data-live]") ?? at.querySelector(start);
    return current ? whenSeen(current, () => reveal(current, wanted(current))) : undefined;
  }, [fit?.layout, chosen, looked, rule.start]);
  if (!fit) return <p class="faint laying-out">laying out {graph.nodes.length} nodes …</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
    <section class="fsm-box" ref={box} tabIndex={0} aria-label={`Machine after ${shortName(stage.name)}`}>
      <FsmDrawing graph={graph} {...fit} rule={rule} lit={lit} pick={pick}>
        <Marks graph={graph} layout={fit.layout} marks={marks} ringed={ringed} />
      </FsmDrawing>
      {state.note && <p class="xs faint">{state.note}</p>}
      {graph.nodes.length < whole.nodes.length && (
        <p class="xs faint">
          {graph.nodes.length} of {whole.nodes.length} nodes, from the start
        </p>
      )}
    </section>
  );
}

interface MarksProps {
  graph: FsmGraph;
  layout: FsmLayout;
  marks: FigureProps["marks"];
  ringed: readonly number[];
}
function Marks({ graph, layout, marks, ringed }: MarksProps) {
  return (
    <>
      {graph.nodes.map((node) => {
        const at = layout.nodes[node.id];
        const mark = marks.after
          ? markAfter(node, marks.after)
          : marks.now?.length
            ? markBefore(node, marks.now)
            : null;
        const states = node.kind === "state" ? [node.state.id] : node.states;
        const isRinged = states.some((s) => ringed.includes(s));
        if (!at || !(mark || isRinged)) return null;
        const { w, h } = sizeOf(node);
        return (
          <g key={node.id} transform={`translate(${at.x} ${at.y})`} class="stage-mark" data-mark={mark?.kind}>
            {isRinged && (
              <rect
                x={-w / 2 - 6}
                y={-h / 2 - 6}
                width={w + 12}
                height={h + 12}
                rx={node.kind === "state" ? RADIUS + 6 : 6}
                fill="none"
                stroke={v("select-line")}
                stroke-width={2}
                data-ringed
              />
            )}
            {mark && <Ring mark={mark} w={w} h={h} round={node.kind === "state"} />}
            {mark && (
              <text class="haloed ink" x={w / 2 - 1} y={-h / 2 - 5}>
                {mark.text}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** New: a heavy line. Gone: a broken one, and struck out. Those that stand for several have their numbers alone. */
function Ring({ mark, w, h, round }: { mark: NodeMark; w: number; h: number; round: boolean }) {
  if (mark.kind !== "new" && mark.kind !== "gone") return null;
  const gone = mark.kind === "gone";
  return (
    <>
      <rect
        x={-w / 2}
        y={-h / 2}
        width={w}
        height={h}
        rx={round ? RADIUS : 3}
        fill={gone ? v("paper") : "none"}
        fill-opacity={gone ? 0.6 : 1}
        stroke={v(gone ? "ink-2" : "ink")}
        stroke-width={gone ? 1.4 : 2}
        stroke-dasharray={gone ? "3 3" : undefined}
      />
      {gone && (
        <path d={`M${-w / 2 + 3} ${h / 2 - 3}L${w / 2 - 3} ${-h / 2 + 3}`} stroke={v("ink-2")} stroke-width={1.2} />
      )}
    </>
  );
}
