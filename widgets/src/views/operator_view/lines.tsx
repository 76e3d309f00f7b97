// The lines of a tree of operators. Of a long tree those in sight are drawn, and a scroll rewrites them where they stand.
//
// The elements of a line are made once and serve for whatever comes into sight: making and dropping elements costs the page far more than
// writing other texts into them. So a line has all its parts, empty where there is nothing to say, and no style of its own.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { v } from "../../parts/colour";
import { memo } from "../../parts/memo";
import type { Store } from "../../store";
import { cut, int, micros, plural } from "../../text";
import { stateName } from "../../trace";
import type { Maker, MaskEntry, Selection, Step, Trace } from "../../wire";
import { argumentAt, argumentText } from "./layout/arguments";
import type { EntryBook, LineEntries } from "./layout/entries";
import { firstLine, type Lit, nLines, type Operator, writtenRuns } from "./layout/operators";
import { pick } from "./pick";

const ROW = 24;
const [LEAST_ROWS, MOST_ROWS] = [4, 18];
const MOST_DEPTH = 24;

export const MADE_BY: Record<Maker, string> = { own: "own", pool: "pool", template: "template" };
const MEANT: Record<Maker, string> = {
  own: "built by this grammar",
  pool: "taken over from another grammar, by way of the tokenizer's pool",
  template: "found ready in the template",
};

/** Static: a small square. Made from a slot: a diamond, in the hue of what the user gave. The line's class says which is shown. */
export const Origin = () => (
  <svg class="glyph" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    <path class="of-slot" d="M6 .8 11.2 6 6 11.2.8 6Z" fill={v("magenta")} />
    <rect class="of-text" x="3.5" y="3.5" width="5" height="5" fill="none" stroke={v("mark")} />
  </svg>
);

const nameOf = (trace: Trace, { state, counts }: MaskEntry): string =>
  `${stateName(trace.program, state)}${counts ? ` count ${counts}` : ""}`;

/** The name of the entry, or how many there are. */
export const entryName = (trace: Trace, { entries }: LineEntries): string =>
  entries.length === 1 ? nameOf(trace, entries[0] as MaskEntry) : plural(entries.length, "entry", "entries");
export const makersOf = ({ makers }: LineEntries): string => makers.map((maker) => MADE_BY[maker]).join(", ");

const entryWords = (trace: Trace, known: LineEntries): string =>
  [
    `mask ${known.entries.length === 1 ? "entry" : "entries"} ${known.entries
      .slice(0, 6)
      .map((entry) => nameOf(trace, entry))
      .join(", ")}${known.entries.length > 6 ? ", …" : ""}`,
    known.makers.map((maker) => MEANT[maker]).join("; "),
    `used again ${plural(known.hits, "time")}, made in ${micros(known.us)}`,
  ].join("\n");

const isSame = (a: Selection, b: Selection) => a.step === b.step && a.rule === b.rule && a.state === b.state;

interface LineProps {
  one: Operator;
  /** of a Write: bytes that are written */
  written: number;
  said: string;
  argument: string;
  entries: LineEntries | null;
  state: "active" | "path" | "";
  isAt: boolean;
  isOn: boolean;
  n: number;
  trace: Trace;
}
const Line = memo(({ one, written, said, argument, entries, state, isAt, isOn, n, trace }: LineProps) => {
  const isCut = written > 0 && one.data !== null;
  const [done, rest] = isCut ? writtenRuns(one.data as number[], written) : ["", one.text];
  const tail = isCut ? (one.nBytes > (one.data as number[]).length ? "…" : '"') : "";
  const title = `${one.number}: ${one.kind} ${one.text}\nrule ${one.rule}${entries ? `\n${entryWords(trace, entries)}` : ""}`;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its line
    <div
      id={`operator-${one.number}`}
      role="treeitem"
      class={`line ${state}${one.slot === null ? "" : " is-slot"}${one.text === "" ? " bare" : ""}${isAt ? " at" : ""}${isOn ? " is-selected" : ""}`}
      aria-level={one.depth + 1}
      aria-setsize={n}
      aria-posinset={one.number + 1}
      aria-selected={isOn}
      aria-current={state === "active" ? "location" : undefined}
      data-operator={one.number}
      title={title}
    >
      <Origin />
      <span class="indent">{"  ".repeat(Math.min(one.depth, MOST_DEPTH))}</span>
      <b class="kind">{one.kind}</b>
      <span class="mono what clip">
        {isCut && '"'}
        <b class="written">{done}</b>
        {rest}
        {tail}
      </span>
      <span class="said">{said}</span>
      <span class="of-argument clip">
        <b class="mono">{one.slot === null ? "" : `$${one.slot}`}</b> <span class="mono">{one.argument ?? ""}</span>{" "}
        <code>{argument}</code>
      </span>
      <span class={`end ${entries?.makers[0] ?? ""}`}>
        <span class="mono name clip">{entries ? entryName(trace, entries) : ""}</span>
        <span class="maker">{entries ? makersOf(entries) : ""}</span>
        <span class="num hits">{entries ? int(entries.hits) : ""}</span>
        <span class="num us">{entries ? micros(entries.us) : ""}</span>
        <span class="mono faint rule clip">{cut(one.rule, 18)}</span>
      </span>
    </div>
  );
});

export interface TreeProps {
  store: Store;
  trace: Trace;
  step: Step | null;
  operators: readonly Operator[];
  lit: Lit;
  book: EntryBook;
}
export function OperatorLines({ store, trace, step, operators, lit, book }: TreeProps) {
  const box = useRef<HTMLDivElement>(null);
  const first = useSignal(0);
  const focus = useSignal<number | null>(null);
  const chosen = useRef<{ number: number; by: Selection } | null>(null);
  const n = operators.length;
  const height = ROW * Math.max(LEAST_ROWS, Math.min(MOST_ROWS, n));
  const scrolled = () => {
    first.value = firstLine(n, height, ROW, box.current?.scrollTop ?? 0);
  };
  const show = (number: number, margin: number) => {
    const view = box.current;
    if (!view) return;
    const [begin, end] = [ROW * number, ROW * (number + 1)];
    if (begin >= view.scrollTop && end <= view.scrollTop + view.clientHeight) return;
    view.scrollTop = begin < view.scrollTop ? begin - margin : end + margin - view.clientHeight;
    scrolled();
  };
  const selected = store.selection.value;
  const picked = chosen.current && isSame(chosen.current.by, selected) ? chosen.current.number : null;
  // the line that was picked, else the first active one, stays in sight: the list moves when it has left it, and then by a good part
  useLayoutEffect(() => {
    focus.value = picked;
    const wanted = picked ?? lit.first;
    if (wanted !== null) show(wanted, height / 3);
  }, [lit, height]);
  const at = Math.min(focus.value ?? lit.first ?? 0, n - 1);
  const choose = (number: number) => {
    chosen.current = { number, by: pick(store, trace, operators[number] as Operator, step?.index ?? 0) };
    focus.value = number;
  };
  const click = (event: MouseEvent) => {
    const line = (event.target as HTMLElement).closest<HTMLElement>("[data-operator]");
    if (line) choose(Number(line.dataset.operator));
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
  const begin = Math.min(first.value, firstLine(n, height, ROW, ROW * n));
  const end = begin + nLines(n, height, ROW);
  const values = trace.header.template?.arguments;
  return (
    <>
      <div class="operator-heads xs faint" aria-hidden="true">
        <span class="name">mask entry</span>
        <span class="maker">made by</span>
        <span class="num hits">hits</span>
        <span class="num us">made in</span>
        <span class="rule">rule</span>
      </div>
      <div
        class="operator-lines"
        role="tree"
        tabIndex={0}
        aria-label={`Operators before step ${step?.index ?? 0}`}
        aria-activedescendant={begin <= at && at < end ? `operator-${at}` : undefined}
        ref={box}
        style={{ height: `${height}px` }}
        onScroll={scrolled}
        onKeyDown={keys}
        onClick={click}
      >
        <div class="paper" style={{ height: `${ROW * n}px` }}>
          <div class="drawn" style={{ top: `${ROW * begin}px` }}>
            {operators.slice(begin, end).map((one, k) => {
              const value = one.slot === null ? undefined : argumentAt(values, one.argument ?? "");
              return (
                <Line
                  key={k} // an element stays where it is and is given another operator
                  one={one}
                  written={lit.written.get(one.number) ?? 0}
                  said={lit.said.get(one.number) ?? ""}
                  argument={value === undefined || one.argument === null ? "" : cut(argumentText(value), 28)}
                  entries={book.of(one)}
                  state={lit.leaves.has(one.number) ? "active" : lit.path.has(one.number) ? "path" : ""}
                  isAt={one.number === at}
                  isOn={picked === one.number}
                  n={n}
                  trace={trace}
                />
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}
