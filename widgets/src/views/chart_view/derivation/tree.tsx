// The derivation tree in the chart's view: which rule matched which bytes of what is written up to the cursor.
//
// Reader sees  the text, and below it each rule under what it matched, the root first; open rules dashed, with what the innermost one
//              waits for; where a text can be read otherwise, in how many ways. Python -> browser: the trace's chart.
//              Browser -> Python: the selected rule, item, state and byte.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Empty, Seg } from "../../../parts/small";
import type { Store } from "../../../store";
import { cut, int, plural, visible } from "../../../text";
import type { PanelProps } from "../../../view";
import type { Step, Trace } from "../../../wire";
import { outputBytes } from "../layout/chart";
import { engineOf, selectIn, selectionIn } from "../written";
import { Forest } from "./forest";
import { type Branch, decoded, derivation, isBranch, type Part } from "./layout";
import { type Box, neighbour, placeTree } from "./places";
import { TreeTable } from "./table";

const SHAPES = [
  ["beside", "side by side", "The derivations beside each other, with what differs"],
  ["one", "one tree", "One derivation, each node under its bytes"],
] as const;
const ROW = 34;
const TEXT_HEIGHT = 40;
const [LEAST_HEIGHT, MOST_HEIGHT] = [TEXT_HEIGHT + 4 * ROW, TEXT_HEIGHT + 11 * ROW];
/** the shown end of the text stands here after the picture was moved */
const END_AT = 0.7;

export interface TreeProps extends PanelProps {
  trace: Trace;
  step: Step;
  column: number;
  table: boolean;
}

/** The item that a node stands for; bytes stand for the item after their last one. */
const itemOf = (part: Part | null) => part?.item ?? null;

export function pickPart(store: Store, trace: Trace, part: Part): void {
  const at = itemOf(part);
  const state = at ? trace.chart.columns[at[0]]?.[at[1]]?.[0] : undefined;
  const rule = isBranch(part) ? part.rule : (trace.program.states[state ?? -1]?.rule ?? null);
  const byte = isBranch(part) && at ? at[0] : part.begin;
  selectIn(store, trace, { rule, item: at ? [at[0], at[1]] : null, state: state ?? null, byte });
}

/** What a node says of itself, in words: first what stands there. */
export function saidOf(box: Box): string {
  const { label, begin, end, nWays } = box;
  switch (box.kind) {
    case "fold":
      return `${label}, folded: bytes ${begin} to ${end}`;
    case "levels":
      return `${label}, folded: open rules, one in the other`;
    case "wait":
      return `${label} may follow`;
    case "leaf":
      return `${label}, bytes ${begin} to ${end}`;
  }
  const { after, also } = box.part as Branch;
  const reach = end === null ? `from byte ${begin} on, open` : `${begin}–${end}`;
  const ways = also.length > 0 ? `; also as ${also.join(", or ")}` : "";
  return `${label}${nWays > 1 ? ` ${nWays} ways,` : ""} ${reach}${after ? `, waits for ${after}` : ""}${ways}`;
}

/** The text above the tree: each shown run of bytes over its place, with the number of its first byte where there is room. */
function TextLine({ boxes, width }: { boxes: readonly Box[]; width: number }) {
  let free = 0;
  return (
    <div class="tree-text mono" style={{ width: `${width}px` }} aria-hidden="true">
      {boxes.map((box) => {
        if (box.kind !== "leaf" && box.kind !== "fold") return null;
        const numbered = box.x >= free;
        if (numbered) free = box.x + 8 + String(box.begin).length * 7;
        return (
          <span key={box.key} style={{ left: `${box.x}px` }} class={box.kind}>
            {numbered && <i>{box.begin}</i>}
            {box.kind === "leaf" ? box.label : "…"}
          </span>
        );
      })}
    </div>
  );
}

export function ChartTree({ store, trace, step, column, table }: TreeProps) {
  const isCompared = useSignal(true);
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const focus = useSignal<string | null>(null);
  const height = useRef(LEAST_HEIGHT);
  const box = useRef<HTMLDivElement>(null);
  const from = step.root;
  const root = useMemo(() => derivation(trace, from), [trace, from]);
  const places = useMemo(() => {
    const output = outputBytes(trace.steps);
    const text = ({ begin, end }: { begin: number; end: number }) => visible(decoded(output.slice(begin, end)));
    return root && placeTree(root, column, opened.value, text);
  }, [root, column, opened.value, trace]);
  const width = places ? places.width + 24 : 0;
  // the end of the text stays in sight: the picture moves when it left it, and then by a good part, so that steps don't shake it
  useLayoutEffect(() => {
    const view = box.current;
    if (!view || !places) return;
    const right = places.width;
    const row = places.boxes.findLast((b) => b.kind === "branch" && b.end === null)?.row ?? 0;
    const [top, bottom] = [row * ROW, TEXT_HEIGHT + (row + 2) * ROW];
    if (right > view.scrollLeft + view.clientWidth || right < view.scrollLeft + 40)
      view.scrollLeft = Math.max(0, right - view.clientWidth * END_AT);
    if (bottom > view.scrollTop + view.clientHeight) view.scrollTop = bottom - view.clientHeight * END_AT;
    else if (top < view.scrollTop) view.scrollTop = Math.max(0, top - ROW);
  }, [places]);
  if (!root || !places)
    return <Empty title="No tree here">{trace.notes[0] ?? "The chart of this step was not recorded."}</Empty>;
  const { boxes } = places;
  height.current = Math.min(MOST_HEIGHT, Math.max(height.current, TEXT_HEIGHT + places.rows * ROW + 6));

  const { item, rule } = selectionIn(store, trace);
  const isOn = ({ part, kind }: Box) =>
    item !== null && kind !== "fold" && kind !== "levels" && itemOf(part)?.join(":") === item.join(":");
  const selected = boxes.find(isOn);
  const innermost = boxes.findLast((b) => b.kind === "branch" && b.end === null) ?? boxes[0];
  const at = Math.max(0, boxes.indexOf(boxes.find((b) => b.key === focus.value) ?? selected ?? (innermost as Box)));
  const pick = (on: Box) => {
    focus.value = on.key;
    if (on.kind === "fold" || on.kind === "levels") opened.value = new Set([...opened.value, on.key]);
    else if (on.part) pickPart(store, trace, on.part);
  };
  const folded = boxes.filter((b) => b.kind === "fold" || b.kind === "levels");
  const several = boxes.filter((b) => b.nWays > 1).length;
  if (table) return <TreeTable boxes={boxes} isOn={isOn} pick={pick} column={column} />;
  const canCompare = several > 0 && engineOf(trace) !== null;
  const sideBySide = canCompare && isCompared.value;
  const shape = canCompare && (
    <Seg
      label="Derivations"
      options={SHAPES}
      on={sideBySide ? "beside" : "one"}
      pick={(on) => {
        isCompared.value = on === "beside";
      }}
    />
  );
  if (sideBySide)
    return (
      <Forest store={store} trace={trace} step={step}>
        {shape}
      </Forest>
    );
  const keys = (event: KeyboardEvent) => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    const isPick = event.key === "Enter" || event.key === " ";
    if (!isPick && !/^Arrow|^Home$|^End$/.test(event.key)) return;
    event.preventDefault();
    if (isPick) return pick(boxes[at] as Box);
    const to = neighbour(boxes, at, event.key);
    focus.value = boxes[to]?.key ?? null;
    box.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[to]?.focus();
  };
  return (
    <>
      {shape}
      <div class="tree-box" ref={box} style={{ height: `${height.current}px` }}>
        <div style={{ width: `${width}px`, height: `${TEXT_HEIGHT + places.rows * ROW}px` }} class="tree-paper">
          <TextLine boxes={boxes} width={width} />
          {root.end === null && <div class="tree-end" style={{ left: `${places.width + 6}px` }} />}
          <div
            role="tree"
            class="tree-nodes"
            aria-label={`Derivation tree of the first ${column} bytes, ${root.end === null ? "open" : "a whole sentence"}`}
            onKeyDown={keys}
          >
            {boxes.map((b, k) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the tree answers keys for all its nodes
              <div
                key={b.key}
                role="treeitem"
                class={`node ${b.kind}${b.end === null ? " open" : b.end === b.begin ? " empty" : ""}${b.nWays > 1 ? " several" : ""}${isOn(b) ? " is-selected" : ""}${b.kind === "branch" && rule === (b.part as Branch).rule ? " of-rule" : ""}`}
                aria-level={b.row + 1}
                aria-selected={isOn(b)}
                aria-expanded={b.kind === "fold" || b.kind === "levels" ? false : undefined}
                aria-label={saidOf(b)}
                data-node={b.key}
                data-item={itemOf(b.part)?.join(":")}
                title={saidOf(b)}
                tabIndex={k === at ? 0 : -1}
                style={{ left: `${b.x}px`, top: `${TEXT_HEIGHT + b.row * ROW}px`, width: `${b.width}px` }}
                onFocus={() => {
                  focus.value = b.key;
                }}
                onClick={() => pick(b)}
              >
                <span class="name">
                  {b.label}
                  {b.nWays > 1 && <b class="ways"> {b.nWays} ways</b>}
                </span>
              </div>
            ))}
          </div>
        </div>
      </div>
      <p class="xs faint tree-said">
        <span class="clip" data-said title={saidOf(boxes[at] as Box)}>
          {cut(saidOf(boxes[at] as Box), 160)}
        </span>
        {several > 0 && (
          <span class="several" data-several>
            {plural(several, "node")} can be read otherwise
          </span>
        )}
        {folded.length > 0 && (
          <span data-folded>
            {plural(folded.length, "fold")}:{" "}
            {int(folded.reduce((n, b) => n + (b.end === null ? 0 : b.end - b.begin), 0))} of {plural(column, "byte")}
          </span>
        )}
        {opened.value.size > 0 && (
          <button
            type="button"
            class="link xs"
            onClick={() => {
              opened.value = new Set();
            }}
          >
            fold again
          </button>
        )}
      </p>
    </>
  );
}
