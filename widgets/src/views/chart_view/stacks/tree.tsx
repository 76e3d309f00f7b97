// The persistent stack of the pushdown automaton: all stacks as one tree, the bottom first, the stack in question lit.
//
// Reader sees  a row a frame: the rule that waits, where its dot will stand, and the rule it waits for; a top where a stack ends; what
//              was pushed and dropped since the step before. Python -> browser: stacks of steps. Browser -> Python: rule and state.
import { type Signal, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { Empty } from "../../../parts/small";
import type { Store } from "../../../store";
import { cut, int, plural } from "../../../text";
import { innermost, stateName } from "../../../trace";
import type { StackTree, Step, Trace } from "../../../wire";
import { choose } from "../../fsm_view/table";
import { dotted, onward } from "../layout/text";
import { useStacks } from "./answers";
import { findNode, isWhole, type StackNode, type StackRow, stackNodes, stackOf, stackRows } from "./layout";

const ROW = 24;
const [FEW_ROWS, MOST_ROWS] = [60, 600];
const MOST_DEPTH = 16;
const GLYPH = 7.25;
/** where a row's stem is; left of all stems is room for the marks */
const xOf = (depth: number) => 24 + 14 * Math.min(depth, MOST_DEPTH);
const yOf = (row: number) => ROW * row + ROW / 2;

const MARKS = {
  new: ["+", "pushed since the step before"],
  gone: ["−", "dropped since the step before"],
} as const;

/** Lines from each row to the one it stands on; those of the lit stack last, so that they are on top. */
function Stems({ rows, lit }: { rows: readonly StackRow[]; lit: ReadonlySet<StackNode> }) {
  const isLit = (row: StackRow) => row.nodes.some((node) => lit.has(node));
  const order = rows.map((row, at) => ({ row, at })).sort((a, b) => Number(isLit(a.row)) - Number(isLit(b.row)));
  return (
    <svg class="stems" width={xOf(MOST_DEPTH) + 8} height={ROW * rows.length} aria-hidden="true">
      {order.map(({ row, at }) => {
        const [x, y, on] = [xOf(row.depth), yOf(at), rows[row.from ?? -1]];
        const x0 = on ? xOf(on.depth) : x;
        const kind = isLit(row) ? "lit" : row.nodes[0]?.mark === "gone" ? "gone" : "";
        return (
          <g key={row.key} class={kind}>
            {on && (
              <path d={x0 === x ? `M${x} ${yOf(row.from ?? 0)}V${y}` : `M${x0} ${yOf(row.from ?? 0)}V${y}H${x}`} />
            )}
            {row.folds ? null : row.nodes[0]?.called === null ? (
              <circle class="top" cx={x} cy={y} r="4.5" />
            ) : (
              <rect x={x - 3.5} y={y - 3.5} width="7" height="7" />
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface RowProps {
  trace: Trace;
  row: StackRow;
  width: number;
  pick: () => void;
}
function RowText({ trace, row, width }: Omit<RowProps, "pick">) {
  const { program } = trace;
  const node = row.nodes[0] as StackNode;
  if (row.folds) return <span class="faint">… {plural(row.nodes.length, row.folds.slice(0, -1))}</span>;
  const state = program.states[node.state];
  const name = (rule: number | undefined) => program.rules[rule ?? -1]?.name ?? "?";
  const called = node.called === null ? null : name(node.called);
  const role = called === null ? "top" : `waits for ${cut(called, 18)}`;
  const rule = cut(name(state?.rule), 24);
  const room = Math.floor((width - xOf(row.depth) - 60 - role.length * 6) / GLYPH) - [...rule].length;
  const [before, after] = dotted(called ?? state?.before ?? "", onward(program, node.state), Math.max(8, room));
  return (
    <>
      <b class="mono">{rule}</b>
      <span class="mono clip item-text">
        {before} <b class="dot">•</b> {after}
        {node.counts !== null && <span class="faint"> {node.counts} done</span>}
      </span>
      <span class={called === null ? "role top" : "role"}>{role}</span>
    </>
  );
}

function titleOf(trace: Trace, { nodes, folds }: StackRow): string {
  const node = nodes[0] as StackNode;
  const state = trace.program.states[node.state];
  if (folds) return "unfold";
  const mark = node.mark ? `\n${MARKS[node.mark][1]}` : "";
  return `${trace.program.rules[state?.rule ?? -1]?.name} → ${state?.before} • ${state?.after}\nstate ${stateName(trace.program, node.state)}${mark}`;
}

/** What the list leaves out, and what its signs mean. */
function Notes({
  tree,
  rows,
  nLeftOut,
  all,
}: {
  tree: StackTree;
  rows: readonly StackRow[];
  nLeftOut: number;
  all: Signal<boolean>;
}) {
  const marked = (mark: "new" | "gone") => rows.filter((row) => row.nodes[0]?.mark === mark).length;
  return (
    <p class="xs faint stack-notes">
      {nLeftOut > 0 && (
        <>
          {int(nLeftOut)} more not drawn
          {!all.value && (
            <button
              type="button"
              class="link xs"
              onClick={() => {
                all.value = true;
              }}
            >
              draw up to {MOST_ROWS}
            </button>
          )}
        </>
      )}
      {!isWhole(tree) && (
        <span data-partial>
          {int(tree.tops.length)} of {plural(tree.n_stacks, "stack")} and {int(tree.frames.length)} of their{" "}
          {plural(tree.n_frames, "frame")} are listed, those nearest to the tops
        </span>
      )}
      {(["new", "gone"] as const).map(
        (mark) =>
          marked(mark) > 0 && (
            <span key={mark}>
              <b class={`mark ${mark}`}>{MARKS[mark][0]}</b> {marked(mark)} {MARKS[mark][1]}
            </span>
          ),
      )}
    </p>
  );
}

export function StackTreeView({
  store,
  trace,
  step,
  width,
}: {
  store: Store;
  trace: Trace;
  step: Step;
  width: number;
}) {
  const tree = useStacks(store, step);
  const chosen = useSignal<number | null>(null);
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const all = useSignal(false);
  const focus = useSignal(0);
  const box = useRef<HTMLDivElement>(null);
  const before = trace.steps[step.index - 1]?.stacks ?? null;
  const bottom = useMemo(() => (tree ? stackNodes(trace.program, tree, before) : []), [trace.program, tree, before]);
  const { rows, nLeftOut } = useMemo(
    () => stackRows(bottom, opened.value, all.value ? MOST_ROWS : FEW_ROWS),
    [bottom, opened.value, all.value],
  );
  const selected = store.selection.value.state;
  const inner = innermost(step)?.state;
  const isChosen = (node: StackNode) => node.key === chosen.value && node.state === selected;
  const picked = findNode(bottom, isChosen) ?? findNode(bottom, (node) => node.state === selected);
  const shown = picked ?? findNode(bottom, (node) => node.state === inner) ?? findNode(bottom, () => true);
  const lit = useMemo(() => stackOf(shown), [shown]);
  if (!tree) return <Empty title="No stacks here">The stacks of this step were not recorded.</Empty>;

  const pick = (row: StackRow) => {
    const node = row.nodes[0] as StackNode;
    const state = trace.program.states[node.state];
    if (row.folds) opened.value = new Set([...opened.value, row.key]);
    else if (state) {
      chosen.value = node.key;
      choose(store, state);
    }
  };
  const move = (to: number) => {
    focus.value = Math.max(0, Math.min(rows.length - 1, to));
    box.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[focus.value]?.focus();
  };
  const at = Math.min(focus.value, rows.length - 1);
  const keys = (event: KeyboardEvent) => {
    const row = rows[at] as StackRow;
    const first = rows.findIndex((r) => r.from === at);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
      ArrowLeft: row.from ?? at,
      ArrowRight: first < 0 ? at : first,
    }[event.key];
    if (event.shiftKey || event.altKey || (to === undefined && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    if (to !== undefined) move(to);
    else pick(row);
  };
  return (
    <>
      <div
        class="stack-tree"
        role="tree"
        aria-label={`Stacks before step ${step.index}, the bottom first`}
        ref={box}
        onKeyDown={keys}
      >
        <Stems rows={rows} lit={lit} />
        {rows.map((row, k) => {
          const [node] = row.nodes as [StackNode];
          const isOn = picked !== null && row.nodes.includes(picked);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree answers keys for all its rows
            <div
              key={row.key}
              role="treeitem"
              class={`stack-row${isOn ? " is-selected" : ""}${row.nodes.some((n) => lit.has(n)) ? " lit" : ""}${node.mark === "gone" ? " gone" : ""}`}
              aria-level={row.depth + 1}
              aria-selected={isOn}
              aria-expanded={row.folds ? false : undefined}
              data-state={row.folds ? undefined : node.state}
              data-mark={node.mark ?? undefined}
              data-top={!row.folds && node.called === null ? "" : undefined}
              title={titleOf(trace, row)}
              tabIndex={k === at ? 0 : -1}
              style={{ paddingLeft: `${xOf(row.depth) + 14}px` }}
              onFocus={() => {
                focus.value = k;
              }}
              onClick={() => pick(row)}
            >
              {node.mark && !row.folds && <b class={`mark ${node.mark}`}>{MARKS[node.mark][0]}</b>}
              <RowText trace={trace} row={row} width={width} />
            </div>
          );
        })}
      </div>
      <Notes tree={tree} rows={rows} nLeftOut={nLeftOut} all={all} />
    </>
  );
}
