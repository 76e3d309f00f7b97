// OperatorView: the grammar as a tree of operators, an operator a line, and what of it the text so far is in.
//
// Reader sees  the tree as code; active operators lit, with bytes written, repetitions, branches taken; slots with their arguments.
//              Python -> browser: the trace's operators. Browser -> Python: rule, state and step of a line. All of it replays.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { argumentAt, argumentText } from "../layout/arguments";
import { entryOf, type Lit, linesInSight, litOf, type Operator, operatorsOf, writtenRuns } from "../layout/operators";
import type { PanelProps } from "../panels";
import { v } from "../parts/colour";
import { Glyph } from "../parts/glyphs";
import { Empty, Panel } from "../parts/small";
import { Table } from "../parts/table";
import type { Store } from "../store";
import { cut, int, micros, plural } from "../text";
import type { Selection, Step, Trace } from "../wire";
import type { RefusedOperators, WireOperators } from "../wire_operators";
import { pick } from "./operator_pick";

const ROW = 24;
const [LEAST_ROWS, MOST_ROWS] = [4, 18];
const MOST_DEPTH = 24;
const MOST_TABLE_ROWS = 200;

/** Static: a small square. Made from a slot: a diamond, in the hue of what the user gave. */
const Origin = ({ slot }: { slot: boolean }) => (
  <svg class="glyph" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    {slot ? (
      <path d="M6 .8 11.2 6 6 11.2.8 6Z" fill={v("magenta")} />
    ) : (
      <rect x="3.5" y="3.5" width="5" height="5" fill="none" stroke={v("mark")} />
    )}
  </svg>
);

const known = (value: boolean | null) =>
  value === null ? "deterministic: unknown" : value ? "deterministic" : "not deterministic";
const readoutOf = ({ n, is_deterministic, most_active }: WireOperators, nActive: number | null) =>
  [
    plural(n, "operator"),
    known(is_deterministic),
    most_active === null ? "most active at once: unknown" : `at most ${int(most_active)} active at once`,
    ...(nActive === null ? [] : [`${int(nActive)} active now`]),
  ].join(", ");

const isSame = (a: Selection, b: Selection) => a.step === b.step && a.rule === b.rule && a.state === b.state;

interface LineProps {
  trace: Trace;
  step: Step | null;
  one: Operator;
  lit: Lit;
}
/** What the operator writes, allows or repeats; of bytes those that are written are marked. */
function What({ one, lit }: Pick<LineProps, "one" | "lit">) {
  const n = lit.written.get(one.number) ?? 0;
  if (one.text === "") return null;
  if (n === 0 || one.data === null) return <span class="mono what clip">{one.text}</span>;
  const [done, rest] = writtenRuns(one.data, n);
  return (
    <span class="mono what clip">
      "<b class="written">{done}</b>
      {rest}
      {one.nBytes > one.data.length ? "…" : '"'}
    </span>
  );
}

function Argument({ trace, one }: Pick<LineProps, "trace" | "one">) {
  if (one.argument === null) return null;
  const value = one.slot === null ? undefined : argumentAt(trace.header.template?.arguments, one.argument);
  return (
    <span class="of-argument clip">
      {one.slot !== null && <b class="mono">${one.slot}</b>} <span class="mono">{one.argument}</span>{" "}
      {value !== undefined && <code>{cut(argumentText(value), 28)}</code>}
    </span>
  );
}

function Entry({ trace, step, one }: Pick<LineProps, "trace" | "step" | "one">) {
  const entry = step && entryOf(trace.program, step, one);
  if (!entry) return null;
  const from = entry.donor_name ? `, from ${entry.donor_name}` : "";
  const words = `mask entry: ${(entry.cache ?? "").replace("_", " ")}${from}, ${plural(entry.hits, "hit")}, made in ${micros(entry.build_us)}`;
  return (
    <span class="entry faint" title={words} role="img" aria-label={words}>
      {entry.cache && <Glyph shape={entry.cache} size={10} />} {plural(entry.hits, "hit")}, {micros(entry.build_us)}
    </span>
  );
}

function Line({ trace, step, one, lit }: LineProps) {
  const isLeaf = lit.leaves.has(one.number);
  const said = lit.said.get(one.number);
  return (
    <>
      <Origin slot={one.slot !== null} />
      <span class="indent" style={{ width: `${14 * Math.min(one.depth, MOST_DEPTH)}px` }} />
      <b class="kind">{one.kind}</b>
      <What one={one} lit={lit} />
      {said && <span class="said">{said}</span>}
      <Argument trace={trace} one={one} />
      <span class="end">
        {isLeaf && <Entry trace={trace} step={step} one={one} />}
        <span class="mono faint rule">{cut(one.rule, 18)}</span>
      </span>
    </>
  );
}

interface TreeProps {
  store: Store;
  trace: Trace;
  step: Step | null;
  operators: readonly Operator[];
  lit: Lit;
}

function Lines({ store, trace, step, operators, lit }: TreeProps) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const focus = useSignal<number | null>(null);
  const chosen = useRef<{ number: number; by: Selection } | null>(null);
  const n = operators.length;
  const height = ROW * Math.max(LEAST_ROWS, Math.min(MOST_ROWS, n));
  const show = (number: number, margin: number) => {
    const view = box.current;
    if (!view) return;
    const [begin, end] = [ROW * number, ROW * (number + 1)];
    if (begin >= view.scrollTop && end <= view.scrollTop + view.clientHeight) return;
    view.scrollTop = begin < view.scrollTop ? begin - margin : end + margin - view.clientHeight;
    top.value = view.scrollTop;
  };
  const selected = store.selection.value;
  const picked = chosen.current && isSame(chosen.current.by, selected) ? chosen.current.number : null;
  // the line that was picked, else the first active one, stays in sight: the list moves when it has left it, and then by a good part
  useLayoutEffect(() => {
    focus.value = picked;
    const first = picked ?? lit.first;
    if (first !== null) show(first, height / 3);
  }, [lit, height]);
  const at = Math.min(focus.value ?? lit.first ?? 0, n - 1);
  const choose = (number: number) => {
    chosen.current = { number, by: pick(store, trace, operators[number] as Operator, step?.index ?? 0) };
    focus.value = number;
  };
  const keys = (event: KeyboardEvent) => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.floor(height / ROW) - 1;
    const one = operators[at] as Operator;
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: n - 1,
      ArrowLeft: Math.max(0, one.parent),
      ArrowRight: one.end > at + 1 ? at + 1 : at,
    }[event.key];
    if (to === undefined && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (to === undefined) return choose(at);
    focus.value = Math.max(0, Math.min(n - 1, to));
    show(focus.value, 0);
  };
  const [first, last] = linesInSight(n, height, ROW, top.value);
  const isOn = (one: Operator) => picked === one.number;
  return (
    <div
      class="operator-lines"
      role="tree"
      tabIndex={0}
      aria-label={`Operators before step ${step?.index ?? 0}`}
      aria-activedescendant={first <= at && at < last ? `operator-${at}` : undefined}
      ref={box}
      style={{ height: `${height}px` }}
      onScroll={() => {
        top.value = box.current?.scrollTop ?? 0;
      }}
      onKeyDown={keys}
    >
      <div class="paper" style={{ height: `${ROW * n}px` }}>
        {operators.slice(first, last).map((one) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree answers keys for all its lines
          // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its line
          <div
            key={one.number}
            id={`operator-${one.number}`}
            role="treeitem"
            class={`line${lit.leaves.has(one.number) ? " active" : lit.path.has(one.number) ? " path" : ""}${one.number === at ? " at" : ""}${isOn(one) ? " is-selected" : ""}`}
            aria-level={one.depth + 1}
            aria-setsize={n}
            aria-posinset={one.number + 1}
            aria-selected={isOn(one)}
            aria-current={lit.leaves.has(one.number) ? "location" : undefined}
            data-operator={one.number}
            title={`${one.number}: ${one.kind} ${one.text}\nrule ${one.rule}`}
            style={{ top: `${ROW * one.number}px` }}
            onClick={() => choose(one.number)}
          >
            <Line trace={trace} step={step} one={one} lit={lit} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** The same as a table: of a long tree the part round the first active line. */
function OperatorTable({ store, trace, step, operators, lit }: TreeProps) {
  const first = Math.max(0, Math.min((lit.first ?? 0) - MOST_TABLE_ROWS / 4, operators.length - MOST_TABLE_ROWS));
  const shown = operators.slice(first, first + MOST_TABLE_ROWS);
  const part =
    shown.length < operators.length
      ? `operators ${first} to ${first + shown.length - 1} of ${int(operators.length)}`
      : undefined;
  return (
    <Table
      label="Operators as a table"
      heads={["#number", "operator", "active", "now", "slot", "argument", "rule"]}
      caption={part}
    >
      {shown.map((one) => (
        <tr key={one.number} class={lit.leaves.has(one.number) ? "is-live" : ""}>
          <td class="num">
            <button
              type="button"
              class="link"
              title={`Select operator ${one.number}`}
              onClick={() => pick(store, trace, one, step?.index ?? 0)}
            >
              {one.number}
            </button>
          </td>
          <td class="mono">
            {"· ".repeat(Math.min(one.depth, MOST_DEPTH))}
            {one.kind} {cut(one.text, 40)}
          </td>
          <td>{lit.leaves.has(one.number) ? "active" : lit.path.has(one.number) ? "on the way" : ""}</td>
          <td>{lit.said.get(one.number) ?? ""}</td>
          <td class="mono">{one.slot === null ? "" : `$${one.slot}`}</td>
          <td class="mono">{one.argument ?? ""}</td>
          <td class="mono">{one.rule}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Why there is no tree, and the calls that make it so. */
function Refused({ store, trace, why }: { store: Store; trace: Trace; why: RefusedOperators }) {
  const calls = why.spans.slice(0, 6);
  const look = (begin: number) => {
    const state = trace.program.states.find(({ spans }) => spans.some(([b, e]) => b <= begin && begin < e));
    const rule = state?.rule ?? trace.program.rules.find(({ span: [b, e] }) => b <= begin && begin < e)?.id ?? null;
    store.select({ rule, state: state?.id ?? null, mask_entry: null });
  };
  return (
    <Empty
      title="This grammar has no tree of operators"
      actions={calls.map(([begin]) => (
        <button key={begin} type="button" onClick={() => look(begin)}>
          call at byte {begin}
        </button>
      ))}
    >
      {why.refused}. {why.hint}
    </Empty>
  );
}

export function OperatorView({ store }: PanelProps) {
  const table = useSignal(false);
  const trace = store.link.trace.value;
  const line = store.link.line.value;
  const step = store.step.value;
  const told = trace?.operators ?? null;
  const tree = told && "rows" in told ? told : null;
  const operators = useMemo(() => (tree ? operatorsOf(tree) : []), [tree]);
  const active = step?.operators ?? null;
  const lit = useMemo(() => litOf(operators, active), [operators, active]);
  const isWanted = trace !== null && told === null && line === "live";
  useEffect(() => {
    if (isWanted) store.link.channel.call("operators").catch(() => undefined);
  }, [isWanted, store]);
  const parts = trace && { store, trace, step, operators, lit };
  const nSlots = operators.filter((one) => one.slot !== null).length;
  return (
    <Panel
      name="operator-view"
      title="Operators"
      readout={tree && readoutOf(tree, active?.n ?? null)}
      onTable={
        tree
          ? () => {
              table.value = !table.value;
            }
          : undefined
      }
      table={table.value}
    >
      <div class="body">
        {tree && parts ? (
          <>
            {table.value ? <OperatorTable {...parts} /> : <Lines {...parts} />}
            <p class="xs faint operator-notes">
              {nSlots > 0 && (
                <>
                  <span>
                    <Origin slot={false} /> written in the template
                  </span>
                  <span>
                    <Origin slot /> {int(nSlots)} made from a slot
                  </span>
                </>
              )}
              {active === null && <span>the active operators of this step were not recorded</span>}
              {active !== null && active.n === 0 && <span>nothing more may come</span>}
              {active !== null && active.n > active.at.length && (
                <span data-partial>
                  {int(active.at.length)} of {plural(active.n, "active operator")} are listed
                </span>
              )}
            </p>
          </>
        ) : told && trace ? (
          <Refused store={store} trace={trace} why={told as RefusedOperators} />
        ) : isWanted || line === "unknown" ? (
          <Empty title="On its way">The operators of this grammar are being found.</Empty>
        ) : (
          <Empty title="Not recorded">
            The operators of this session were not recorded: call session.record_operators() before it is saved.
          </Empty>
        )}
      </div>
    </Panel>
  );
}
