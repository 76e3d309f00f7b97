// The column that is filled by hand, beside those its items come from: a list of items to choose from, and how each found one came.
//
// Every item of the column has its place from the beginning, so that nothing moves while it fills; a question mark says no more than
// that something belongs there.
import { useMemo } from "preact/hooks";
import { v } from "../../../parts/colour";
import { Mark } from "../../../parts/glyphs";
import { Arc } from "../arcs";
import { gutterOf, laneItems, NAME_GLYPH, placeColumns, type ShownItem } from "../layout/chart";
import { passed } from "../layout/text";
import { ColumnGround, HEAD, Item, LaneName, type Placement, placements } from "../parts";
import { besideItem, exerciseColumns, exerciseLanes } from "./columns";
import type { ColumnExercise } from "./layout";
import type { PlacedItem } from "./words";

const LEAST_HEIGHT = 96;
const MANY_ROWS = 8;

interface DrawingProps {
  exercise: ColumnExercise;
  width: number;
  chosen: string | null;
  choose: (key: string) => void;
  /** the item of the last step, if that was wrong */
  wrong: string | null;
  /** those that the last right step put in: their arrows are shown */
  fresh: readonly string[];
}

export const keyOf = (exercise: ColumnExercise, item: PlacedItem): string => `${item.column}:${exercise.indexOf(item)}`;
export const itemAt = (exercise: ColumnExercise, key: string): PlacedItem | undefined => {
  const [column, index] = key.split(":").map(Number) as [number, number];
  const row = exercise.trace.chart.columns[column]?.[index];
  return row && { column, state: row[0], origin: row[1] };
};

export function ExerciseDrawing({ exercise, width, chosen, choose, wrong, fresh }: DrawingProps) {
  const { trace, column } = exercise;
  const { program } = trace;
  const columns = useMemo(() => {
    const names = program.rules.map((rule) => rule.name);
    // the last two always stay: what is scanned comes from the one before
    const all = exerciseColumns(trace, column);
    const last = column > 0 ? -1 : all.length;
    return placeColumns(all.slice(0, last), all.slice(last), width, null, gutterOf(names, width));
  }, [trace, program, column, width]);
  const rows = exerciseLanes(columns, column, 0, 1).reduce((n, lane) => n + lane.rows, 0);
  const rowHeight = rows > MANY_ROWS ? 24 : 42;
  const lanes = exerciseLanes(columns, column, HEAD, rowHeight);
  const last = lanes.at(-1);
  const bottom = Math.max(HEAD + LEAST_HEIGHT, last ? last.y + last.rows * rowHeight + 8 : 0);
  const { at, more } = placements(columns, lanes, rowHeight, (p, rule) => laneItems(p.column, rule));
  const gutter = columns[0]?.x ?? 0;
  const end = (columns.at(-1)?.x ?? 0) + (columns.at(-1)?.width ?? 0);
  const isFound = ({ at: place }: ShownItem) => place?.[0] !== column || exercise.found.has(place[1]);
  const places = [...at.values()];
  const open = places.filter((place) => isFound(place.item));
  const arrows = fresh.length > 0 ? fresh : chosen ? [chosen] : [];
  const keys = (event: KeyboardEvent) => {
    if (!/^(Arrow|Home|End)/.test(event.key) || event.shiftKey) return;
    event.preventDefault();
    const next = besideItem(open, chosen ? at.get(chosen) : undefined, event.key);
    if (next) choose(next.item.key);
  };
  const pick = (event: MouseEvent) => {
    const key = (event.target as Element).closest<SVGElement>("[data-item]")?.dataset.item;
    if (key) choose(key);
  };
  const drawn = (place: Placement) => {
    const { item } = place;
    const index = item.at?.[1] ?? -1;
    const link = item.at?.[0] === column ? exercise.found.get(index) : trace.chart.columns[item.at?.[0] ?? -1]?.[index];
    const spot = `translate(${place.x} ${place.y})`;
    if (!isFound(item))
      return (
        <g key={item.key} transform={spot} data-hidden={item.key}>
          <rect
            x="2.5"
            y="2.5"
            width={place.w - 5}
            height={rowHeight - 7}
            rx="2"
            fill="none"
            stroke={v("rule-strong")}
            stroke-dasharray="3 3"
          />
          <text class="mid" x={place.w / 2} y={rowHeight / 2 + 3}>
            ?
          </text>
        </g>
      );
    return (
      <g
        key={item.key}
        transform={spot}
        role="option"
        id={`xg-item-${item.key.replace(":", "-")}`}
        aria-selected={item.key === chosen}
      >
        <Item
          program={program}
          item={link ? { ...item, op: link[2] } : item}
          folded={false}
          passed={link ? passed(trace, link, place.placed.column.byte) : null}
          w={place.w}
          rowHeight={rowHeight}
          selected={item.key === chosen}
          active={false}
        />
        {item.key === wrong && <Mark shape="no" x={place.w - 12} y={rowHeight > 30 ? 29 : 12} size={13} />}
      </g>
    );
  };
  return (
    <div
      class="by-hand"
      tabIndex={0}
      role="listbox"
      aria-label={`Items to work with: column ${column} as far as it is filled, and the columns before it`}
      aria-activedescendant={chosen ? `xg-item-${chosen.replace(":", "-")}` : undefined}
      onKeyDown={keys}
      onClick={pick}
    >
      <svg width={width} height={bottom + 22} role="none">
        <defs>
          <marker id="xg-arrow" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M1 1 7 4 1 7Z" fill="context-stroke" />
          </marker>
        </defs>
        {columns.map((p) => (
          <g key={p.column.column}>
            {p.column.column === column && (
              <rect x={p.x + 0.5} y=".5" width={p.width - 1} height={bottom} fill={v("blue-wash")} />
            )}
            <ColumnGround
              placed={p.column.kind === "live" ? { ...p, column: { ...p.column, kind: "past" } } : p}
              top={HEAD}
              bottom={bottom}
              selected={false}
            />
            {p.column.column === column && (
              <text class="strong live-ink end" x={p.x + p.width - 8} y="15">
                yours
              </text>
            )}
          </g>
        ))}
        <path d={`M0 ${HEAD - 0.5}H${end}`} stroke={v("rule-strong")} />
        {lanes.map((lane) => (
          <g key={lane.rule}>
            <path d={`M0 ${lane.y - 0.5}H${end}`} stroke={v("rule")} />
            <LaneName
              name={program.rules[lane.rule]?.name ?? ""}
              y={lane.y + 19}
              glyphs={Math.floor((gutter - 8) / NAME_GLYPH)}
              two={rowHeight > 30}
            />
          </g>
        ))}
        <path d={`M0 ${bottom - 0.5}H${end}`} stroke={v("rule")} />
        {places.map(drawn)}
        {more.map((m) => (
          <text key={`${m.x}:${m.y}`} x={m.x} y={m.y}>
            and {m.n} more
          </text>
        ))}
        {arrows.map((key) => {
          const [j, index] = key.split(":").map(Number) as [number, number];
          const link = j === column ? exercise.found.get(index) : undefined;
          const to = at.get(key);
          if (!link || !to) return null;
          const [source, child] = [at.get(`${link[3]}:${link[4]}`), at.get(`${link[5]}:${link[6]}`)];
          return (
            <Arc key={key} to={to} op={link[2]} source={source} child={child} floor={bottom + 14} gutter={gutter} />
          );
        })}
      </svg>
    </div>
  );
}
