// Which columns stand beside the one that is filled by hand, and where each item has its place: also those not found yet. Pure.
import type { Trace } from "../../../wire";
import { type Lane, laneItems, outputBytes, type Placed, type ShownColumn, type ShownItem } from "../layout/chart";

/** of a column that is only looked back at */
const ROWS_BESIDE = 4;

/** A column as it is drawn: its items, or the bytes of a run that nothing here refers to. */
function shown(trace: Trace, column: number, kind: ShownColumn["kind"], folded = 0): ShownColumn {
  const rows = folded > 0 ? [] : (trace.chart.columns[column] ?? []);
  return {
    column,
    byte: column > 0 ? (outputBytes(trace.steps)[column - 1] ?? null) : null,
    kind,
    folded,
    items: rows.map(([state, origin, op], index) => ({
      key: `${column}:${index}`,
      state,
      rule: trace.program.states[state]?.rule ?? 0,
      origin,
      op,
      at: [column, index],
    })),
  };
}

/** The column, the one before it, and those in which their items began; what lies between is folded. */
export function exerciseColumns(trace: Trace, column: number): ShownColumn[] {
  const wanted = new Set([column]);
  for (const j of [column - 1, column])
    for (const [, origin] of trace.chart.columns[j] ?? []) wanted.add(origin).add(Math.max(0, j));
  const out: ShownColumn[] = [];
  let next = 0;
  for (const j of [...wanted].filter((k) => k >= 0).sort((a, b) => a - b)) {
    if (out.length > 0 && j > next + 1) out.push(shown(trace, j - 1, "fold", j - next));
    else if (out.length > 0 && j === next + 1) out.push(shown(trace, next, "past"));
    out.push(shown(trace, j, j === column ? "live" : "past"));
    next = j + 1;
  }
  return out;
}

/** Lanes with a row for each item of the column and of the one before it: places that don't move while the column fills. */
export function exerciseLanes(placed: readonly Placed[], column: number, top: number, rowHeight: number): Lane[] {
  const rows = new Map<number, number>();
  for (const { column: shown } of placed)
    for (const rule of new Set(shown.items.map((item) => item.rule))) {
      const n = laneItems(shown, rule).length;
      const most = shown.column >= column - 1 ? n : Math.min(n, ROWS_BESIDE);
      rows.set(rule, Math.max(rows.get(rule) ?? 0, most));
    }
  let y = top;
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([rule, n]) => {
      y += n * rowHeight + 6;
      return { rule, y: y - n * rowHeight - 6, rows: n };
    });
}

/** The item a key leads to: up and down within a column, left and right to the nearest of the next one. */
export function besideItem<P extends { item: ShownItem; x: number; y: number }>(
  places: readonly P[],
  from: P | undefined,
  key: string,
): P | undefined {
  const order = places.toSorted((a, b) => a.x - b.x || a.y - b.y);
  if (key === "End") return order.at(-1);
  if (!from || key === "Home") return order[0];
  const sameColumn = order.filter((p) => p.x === from.x);
  if (key === "ArrowDown" || key === "ArrowUp") {
    const at = sameColumn.indexOf(from) + (key === "ArrowDown" ? 1 : -1);
    return sameColumn[Math.max(0, Math.min(sameColumn.length - 1, at))];
  }
  const sign = key === "ArrowRight" ? 1 : -1;
  const beyond = order.filter((p) => sign * (p.x - from.x) > 0);
  const x = sign > 0 ? beyond[0]?.x : beyond.at(-1)?.x;
  return beyond.filter((p) => p.x === x).sort((a, b) => Math.abs(a.y - from.y) - Math.abs(b.y - from.y))[0] ?? from;
}

/** States that an item of the column might be in: those of the rules in play, the ones they call included. */
export function statesInPlay(trace: Trace, column: number): number[] {
  const { program, chart } = trace;
  const rules = new Set<number>();
  for (const j of [column - 1, column])
    for (const [state] of chart.columns[j] ?? []) rules.add(program.states[state]?.rule ?? -1);
  for (const edge of program.edges)
    if (edge.rule !== null && rules.has(program.states[edge.from]?.rule ?? -1)) rules.add(edge.rule);
  return program.states.filter((state) => rules.has(state.rule)).map((state) => state.id);
}
