// OperatorView: the grammar as a tree of operators, an operator a line, and what of it the text so far is in.
//
// Reader sees  the tree as code; active operators lit, with bytes written, repetitions, branches taken; slots with their arguments; beside
//              each leaf its mask entries: who made them, how often they were used again, what they took.
//              Python -> browser: the trace's operators. Browser -> Python: rule, state and step of a line. All of it replays.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Empty, Panel, useWidth } from "../../parts/small";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { cut, int, micros, plural } from "../../text";
import type { PanelProps } from "../../view";
import type { RefusedOperators, Trace, WireOperators } from "../../wire";
import { EntryBook } from "./layout/entries";
import { litOf, operatorsOf } from "./layout/operators";
import { entryName, makersOf, OperatorLines, Origin, type TreeProps } from "./lines";
import { pick } from "./pick";

const MOST_DEPTH = 24;
const MOST_TABLE_ROWS = 200;
const NARROW = 760;

const readoutOf = ({ headline = "" }: WireOperators, nActive: number | null) =>
  nActive === null ? headline : `${headline}, ${int(nActive)} active now`;

const HEADS = "#number,operator,active,now,slot,argument,mask entry,made by,#hits,#made in,rule".split(",");
/** The same as a table: of a long tree the part round the first active line. */
function OperatorTable({ store, trace, step, operators, lit, book }: TreeProps) {
  const first = Math.max(0, Math.min((lit.first ?? 0) - MOST_TABLE_ROWS / 4, operators.length - MOST_TABLE_ROWS));
  const shown = operators.slice(first, first + MOST_TABLE_ROWS);
  const part =
    shown.length < operators.length
      ? `operators ${first} to ${first + shown.length - 1} of ${int(operators.length)}`
      : undefined;
  return (
    <Table label="Operators as a table" heads={HEADS} caption={part}>
      {shown
        .map((one) => [one, book.of(one)] as const)
        .map(([one, entries]) => (
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
            <td class="mono">{entries ? entryName(trace, entries) : ""}</td>
            <td>{entries ? makersOf(entries) : ""}</td>
            <td class="num">{entries ? int(entries.hits) : ""}</td>
            <td class="num">{entries ? micros(entries.us) : ""}</td>
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
  const [box, width] = useWidth();
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
  const cursor = step?.index ?? 0;
  const book = useMemo(() => (trace ? new EntryBook(trace, cursor) : null), [trace, cursor]);
  const parts = trace && book && { store, trace, step, operators, lit, book };
  const nSlots = useMemo(() => operators.filter((one) => one.slot !== null).length, [operators]);
  return (
    <Panel
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
      <div class={width > 0 && width < NARROW ? "body narrow" : "body"} ref={box}>
        {tree && parts ? (
          <>
            {table.value ? <OperatorTable {...parts} /> : <OperatorLines {...parts} />}
            <p class="xs faint operator-notes">
              {nSlots > 0 && (
                <>
                  <span>
                    <Origin /> written in the template
                  </span>
                  <span class="is-slot">
                    <Origin /> {int(nSlots)} made from a slot
                  </span>
                </>
              )}
              {active === null && <span>the active operators of this step were not recorded</span>}
              {active !== null && active.n === 0 && <span>no more text may come</span>}
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
          <Empty title="Loading">The kernel is finding the operators of this grammar.</Empty>
        ) : (
          <Empty title="Not recorded">
            The operators of this session were not recorded: call session.record_operators() before it is saved.
          </Empty>
        )}
      </div>
    </Panel>
  );
}
