// The chart's drawing: columns, lanes, items, parents that wait, and how the active item came to be.

import { useSignal } from "@preact/signals";
import { v } from "../../parts/colour";
import { placeIn } from "../../parts/place";
import type { Store } from "../../store";
import { cut, plural } from "../../text";
import { innermost, stepAtByte } from "../../trace";
import { type ChartItem, COMPLETE, type Explanation, SCAN, type Selection, type Step, type Trace } from "../../wire";
import { Arc, Dead } from "./arcs";
import { choose } from "./choose";
import { laneItems, lanesOf, NAME_GLYPH, type Placed, ROWS_AS_WRITTEN } from "./layout/chart";
import { dotOf, dotted, onward, otherWays, passed, story, waitingFor, waysOf } from "./layout/text";
import { ColumnGround, HEAD, Item, LaneName, OPS, type Placement, placements } from "./parts";
import { ChartWays } from "./table";
import { engineOf, selectionIn } from "./written";

export const LANE_LIMIT = 6;

/** room for what is said in a dead column */
export const LEAST_HEIGHT = 96;

/** The column that a selected byte leads into; an item that is selected says its own. */
export const columnAfter = ({ byte, item }: Selection): number | null =>
  item !== null || byte === null ? null : byte + 1;
function passedBy(trace: Trace, { item, placed }: Placement): string | null {
  const link = item.at && trace.chart.columns[item.at[0]]?.[item.at[1]];
  return link ? passed(trace, link, placed.column.byte) : null;
}

/** The item a pointer is on. */
const keyUnder = (event: MouseEvent): string | null =>
  (event.target as Element).closest<SVGElement>("[data-item]")?.dataset.item ?? null;

export interface Scene {
  store: Store;
  trace: Trace;
  step: Step;
  why: Explanation | null;
  columns: Placed[];
  width: number;
  /** rules that were chosen; null: as many as there is room for */
  only: ReadonlySet<number> | null;
  choose: () => void;
}

/** Rules that don't fit as lanes of their own are told as a count. */
export function shownLanes(scene: Scene, top: number, rowHeight: number) {
  const most = engineOf(scene.trace) ? ROWS_AS_WRITTEN : undefined;
  const lanes = lanesOf(scene.columns, top, rowHeight, most);
  const live = scene.step.live.map((item) => item.rule);
  const selected = selectionIn(scene.store, scene.trace).rule;
  const mark = (rule: number) => (rule === selected ? 0 : live.includes(rule) ? 1 : 2);
  const rules = lanes.map((lane) => lane.rule).sort((a, b) => mark(a) - mark(b));
  const kept = scene.only ? rules.filter((rule) => scene.only?.has(rule)) : rules.slice(0, LANE_LIMIT);
  const narrowed = scene.columns.map((p) => ({
    ...p,
    column: { ...p.column, items: p.column.items.filter((i) => kept.includes(i.rule)) },
  }));
  return { lanes: lanesOf(narrowed, top, rowHeight, most), hidden: lanes.length - kept.length };
}

export function Drawing(scene: Scene) {
  const { store, trace, step, why, columns, width, only } = scene;
  const hover = useSignal<string | null>(null);
  const isWritten = engineOf(trace) !== null;
  const inner = innermost(step);
  const [first, gutter] = [columns[0]?.column.column ?? 0, columns[0]?.x ?? 0];
  const glyphs = Math.floor((gutter - 8) / NAME_GLYPH);
  const parents = inner ? waitingFor(trace, inner.rule, inner.origin) : [];
  const waiting = parents
    .filter((w) => w.column < first)
    .reverse()
    .slice(-4);
  const top = HEAD + waiting.length * 22 + (waiting.length ? 6 : 0);
  const compact =
    lanesOf(columns, 0, 1, isWritten ? ROWS_AS_WRITTEN : undefined).reduce((n, lane) => n + lane.rows, 0) > 7;
  const rowHeight = compact ? 24 : 42;
  const { lanes, hidden } = shownLanes(scene, top, rowHeight);
  const bottom = Math.max(top + LEAST_HEIGHT, (lanes.at(-1)?.y ?? top) + (lanes.at(-1)?.rows ?? 1) * rowHeight + 8);
  const { at, more } = placements(columns, lanes, rowHeight, (p, rule) => laneItems(p.column, rule));
  const selection = selectionIn(store, trace);
  const stepped = columnAfter(selection);
  // the mask there, if it is at hand: a glance asks nobody
  const glance = (event: MouseEvent) => {
    const { x } = placeIn(event);
    const under = columns.find((p) => x >= p.x && x < p.x + p.width)?.column;
    const there = under && (under.kind === "past" || under.kind === "fold") ? under.column : null;
    const at = there === null ? null : stepAtByte(trace.steps, there);
    store.preview.value = at !== null && store.link.bulk.peek().has(at) ? at : null;
  };
  const live = columns.find((p) => p.column.kind === "live");
  const byDefault =
    live?.column.items.findLast((i) => i.op === COMPLETE && at.has(i.key)) ??
    live?.column.items.find((i) => i.op === SCAN && at.has(i.key));
  const activeKey = hover.value ?? (selection.item ? selection.item.join(":") : null) ?? byDefault?.key ?? null;
  const active: Placement | undefined = activeKey ? at.get(activeKey) : undefined;
  const link = active?.item.at ? trace.chart.columns[active.item.at[0]]?.[active.item.at[1]] : undefined;
  const floor = bottom + 14;
  const end = (columns.at(-1)?.x ?? 0) + (columns.at(-1)?.width ?? 0);
  const ways = link && waysOf(trace, active?.item.key ?? "");
  const arc = (to: Placement, made: ChartItem, cls = "") => (
    <g class={cls} key={made.join()}>
      <Arc
        to={to}
        op={made[2]}
        source={at.get(`${made[3]}:${made[4]}`)}
        child={at.get(`${made[5]}:${made[6]}`)}
        floor={floor}
        gutter={gutter}
      />
    </g>
  );
  const pick = (event: MouseEvent) => {
    if ((event.target as Element).closest("[data-more]")) return scene.choose();
    const place = at.get(keyUnder(event) ?? "");
    if (place) choose(store, trace, place.item, place.placed.column.column);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table twin holds the same items as buttons */}
      <svg
        width={width}
        height={bottom + 44}
        onClick={pick}
        onMouseMove={(event) => {
          hover.value = keyUnder(event);
          glance(event);
        }}
        onMouseLeave={() => {
          hover.value = null;
          store.preview.value = null;
        }}
        role="img"
        aria-label={`Earley chart, columns ${first} to ${columns.at(-1)?.column.column}, column ${step.byte_begin} live`}
      >
        <defs>
          <pattern id="xg-dead" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path d="M0 0V6" stroke={v("rule")} stroke-width="2" />
          </pattern>
          <marker id="xg-arrow" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M1 1 7 4 1 7Z" fill="context-stroke" />
          </marker>
        </defs>
        {columns.map((p) => (
          <ColumnGround
            key={p.column.column}
            placed={p}
            top={top}
            bottom={bottom}
            selected={p.column.column === stepped}
          />
        ))}
        <path d={`M0 ${HEAD - 0.5}H${end}`} stroke={v("rule-strong")} />
        {waiting.map((w, k) => {
          const y = HEAD + 16 + k * 22;
          const state = trace.program.states[w.state];
          const [before, after] = isWritten
            ? dotted(state?.before ?? "", [state?.after ?? ""], 44)
            : dotted(state?.before.split(" | ").at(-1) ?? "", onward(trace.program, w.state), 34);
          const item = `${before}${dotOf({ before, after, tight: state?.tight ?? false })}${after}`.trim();
          const since = `waits since ${w.column}`;
          const x = gutter + 8;
          return (
            <g key={`${w.state}:${w.column}`}>
              <text class="mono ink-2 s12" x="0" y={y + 4}>
                <title>{trace.program.rules[w.rule]?.name}</title>
                {cut(trace.program.rules[w.rule]?.name ?? "", glyphs)}
              </text>
              <text class="mono ink-2" x={x} y={y + 4}>
                {item}
              </text>
              <text x={x + [...item].length * 6.7 + 10} y={y + 4}>
                {since}
              </text>
              <path
                d={`M${x + [...item].length * 6.7 + since.length * 6 + 22} ${y}H${end - 6}`}
                stroke={v("rule-strong")}
                stroke-dasharray="3 3"
              />
            </g>
          );
        })}
        {lanes.map((lane) => (
          <g key={lane.rule}>
            <path d={`M0 ${lane.y - 0.5}H${end}`} stroke={v("rule")} />
            <LaneName
              name={trace.program.rules[lane.rule]?.name ?? ""}
              y={lane.y + 19}
              glyphs={glyphs}
              two={!compact}
            />
          </g>
        ))}
        <path d={`M0 ${bottom - 0.5}H${end}`} stroke={v("rule")} />
        {[...at.values()].map((place) => (
          <g key={place.item.key} transform={`translate(${place.x} ${place.y})`}>
            <Item
              program={trace.program}
              item={place.item}
              folded={place.placed.column.kind === "fold"}
              passed={passedBy(trace, place)}
              others={waysOf(trace, place.item.key)?.[2] ?? 0}
              w={place.w}
              rowHeight={rowHeight}
              selected={
                place.item.at
                  ? selection.item?.join(":") === place.item.key
                  : selection.item === null &&
                    selection.state === place.item.state &&
                    (stepped === null || stepped === place.placed.column.column)
              }
              active={place.item.key === hover.value}
              isWritten={isWritten}
            />
          </g>
        ))}
        {more.map((m) => (
          <text key={`${m.x}:${m.y}`} x={m.x} y={m.y}>
            and {m.n} more
          </text>
        ))}
        {columns.map(
          (p) =>
            p.column.kind === "dead" && (
              <Dead key="dead" placed={p} top={top} bottom={bottom} expected={why?.expected_text ?? ""} />
            ),
        )}
        {active && otherWays(ways).map((made) => arc(active, made, "other-way"))}
        {active && link && arc(active, link)}
        {active && link && (
          <text class="haloed" x={gutter} y={bottom + 34}>
            <tspan
              class="strong"
              style={{ fill: v(`${OPS[link[2]]?.name === "start" ? "scan" : OPS[link[2]]?.name}-ink`) }}
            >
              {OPS[link[2]]?.letter}
            </tspan>
            <tspan class="ink-2" dx="6">
              {story(trace, link, active.placed.column.column)}
            </tspan>
          </text>
        )}
        {hidden > 0 && (
          <text class="more" data-more x="0" y={bottom + 34}>
            {only ? `${plural(hidden, "rule")} hidden` : plural(hidden, "more rule")}
          </text>
        )}
      </svg>
      {(trace.chart.ways?.length ?? 0) > 0 && (
        <p class="xs faint tree-said">
          {active?.item.at && ways && <ChartWays store={store} trace={trace} at={active.item.at} />}
        </p>
      )}
    </>
  );
}
