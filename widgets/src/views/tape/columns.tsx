// The tape's drawing: one column a token, small multiples below it that share the columns.

import { v } from "../../parts/colour";
import { Glyph } from "../../parts/glyphs";
import { memo } from "../../parts/memo";
import { Term, type TermName } from "../../parts/terms";
import { visible } from "../../text";
import type { Branch, Kind, Step } from "../../wire";
import { type Column, GUTTER, type TapeWindow, tapeText } from "./layout";
import { type Lanes, Strips, Wanted } from "./strips";

const Y = { num: 12, bar: 19, text: 38, tick: 46, off: 62 };

export function KindBar({ kind, x, w, y }: { kind: Kind | "rolled_back" | null; x: number; w: number; y: number }) {
  const a = x + 3;
  const b = x + w - 3;
  if (kind === null) return <path d={`M${a} ${y + 3}H${b}`} stroke={v("rule-strong")} stroke-dasharray="1 3" />;
  if (kind === "sampled") return <path d={`M${a} ${y + 3}H${b}`} stroke={v("sampled")} stroke-width="1.2" />;
  if (kind === "forced_by_grammar")
    return <path d={`M${a} ${y + 1.5}H${b}M${a} ${y + 4.5}H${b}`} stroke={v("by-grammar")} stroke-width="1.6" />;
  if (kind === "forced_by_user")
    return (
      <g>
        <path d={`M${a} ${y + 3}H${b}`} stroke={v("by-user")} stroke-width="4" />
        <path d={`M${x + w / 2 - 4} ${y + 4}h8l-4 5Z`} fill={v("by-user")} />
      </g>
    );
  if (kind === "rolled_back")
    return <path d={`M${a} ${y + 3}H${b}`} stroke={v("rolled-back")} stroke-width="1.2" stroke-dasharray="3 2" />;
  let d = "";
  for (let k = a; k + 5 <= b; k += 6) d += `M${k} ${y}l3 3-3 3`;
  return <path d={d} fill="none" stroke={v("jump")} stroke-width="1.4" />;
}

/** One tick a byte; the bytes of one code point touch. */
function Ticks({ text, x, y }: { text: string; x: number; y: number }) {
  const marks: { at: number; w: number; wide: boolean }[] = [];
  let at = 0;
  for (const c of text) {
    const n = new TextEncoder().encode(c).length;
    for (let k = 0; k < n; k++, at += 4) marks.push({ at, w: k < n - 1 ? 4 : 3, wide: n > 1 });
    at += 1;
  }
  if (marks.length > 24) return null;
  const left = x - (at - 2) / 2;
  return (
    <>
      {marks.map((m) => (
        <rect key={m.at} x={left + m.at} y={y} width={m.w} height="3" fill={v(m.wide ? "ink-3" : "rule-strong")} />
      ))}
    </>
  );
}

interface ColumnProps {
  step: Step;
  width: number;
  at: Lanes;
  on: boolean;
  hovered: boolean;
  size: number;
  note: string | undefined;
}
/** Drawn from x = 0: as the window moves along the tape, columns are moved, not drawn again. */
const TapeColumn = memo(({ step, width, at, on, hovered, size, note }: ColumnProps) => {
  const col = { index: step.index, x: 0, width };
  const mid = col.x + col.width / 2;
  const ground = on ? { fill: v("select"), stroke: v("select-line"), "stroke-width": 1.5 } : { fill: v("hover") };
  const text = tapeText(step);
  return (
    <g class="tape-col">
      {(on || hovered) && <rect x={col.x + 1} y="1" width={col.width - 2} height={at.height - 2} rx="2" {...ground} />}
      <text class={on ? "ink strong" : ""} x={mid} y={Y.num} text-anchor="middle">
        {step.index}
      </text>
      <KindBar kind={step.kind} x={col.x} w={col.width} y={Y.bar} />
      <text class="mono tok12 mid" x={mid} y={Y.text}>
        {[...text].map((c, k) =>
          "·↵⇥?".includes(c) ? (
            <tspan key={`${k}${c}`} class="ws">
              {c}
            </tspan>
          ) : (
            c
          ),
        )}
      </text>
      {at.hasBytes && step.kind !== null && step.n_bytes > 0 && <Ticks text={step.text ?? ""} x={mid} y={Y.tick} />}
      {at.hasBytes && (
        <text class={on ? "ink-2" : ""} x={mid} y={Y.off} text-anchor="middle">
          {step.byte_begin}
        </text>
      )}
      <Strips step={step} col={col} at={at} on={on} size={size} />
      {note && (
        <path d={`M${width - 11} 3h8v8h-4l-4 3Z`} fill={v("note")} data-note={step.index}>
          <title>{note}</title>
        </path>
      )}
    </g>
  );
});

/** What was rolled back hangs under the step that replaced it; as many tokens as there is room before the next such step. */
interface LaneProps {
  /** its top: below the byte offsets, or below the tokens */
  top: number;
  branches: Branch[];
  view: TapeWindow;
  width: number;
}
const BranchLane = memo(({ top, branches, view, width }: LaneProps) => {
  const seen = branches.filter((b) => b.at >= view.from && b.at < view.to).sort((a, b) => a.at - b.at);
  const last = [...new Map(seen.map((b) => [b.at, b])).values()];
  const columnOf = (branch: Branch) => view.columns.find((c) => c.index === branch.at) as Column;
  return (
    <>
      {last.map((branch, k) => {
        const next = last[k + 1];
        const end = next ? columnOf(next).x : width;
        const x0 = columnOf(branch).x + 4;
        let x = x0 + 10;
        const tokens: { step: Step; x: number; w: number }[] = [];
        for (const step of branch.steps) {
          const w = Math.max(24, [...visible(step.text)].length * 7.3 + 12);
          if (x + w > end - (tokens.length + 1 < branch.steps.length ? 30 : 0) && tokens.length > 0) break;
          tokens.push({ step, x, w });
          x += w;
        }
        const more = branch.steps.length - tokens.length;
        const n = branches.filter((b) => b.at === branch.at).length;
        const words = [more > 0 ? `+${more}` : "", "rolled back", n > 1 ? `${n} times` : ""].filter(Boolean).join(" ");
        const note = x + words.length * 6 < end ? words : more > 0 ? `+${more}` : "";
        return (
          <g key={branch.at}>
            <path d={`M${x0} ${top}v8q0 5 5 5h4`} fill="none" stroke={v("rolled-back")} stroke-dasharray="3 2" />
            {tokens.map(({ step, x: tx, w }) => (
              <g key={step.index}>
                <rect
                  x={tx + 0.5}
                  y={top + 4.5}
                  width={w - 4}
                  height="20"
                  fill={v("paper")}
                  stroke={v("rolled-back")}
                  stroke-dasharray="3 2"
                />
                <text class="mono s12 mid" x={tx + w / 2 - 2} y={top + 18.5} text-decoration="line-through">
                  {visible(step.text)}
                </text>
              </g>
            ))}
            <text class="haloed" x={x + 4} y={top + 18.5}>
              {note}
            </text>
          </g>
        );
      })}
    </>
  );
});

interface LabelProps {
  y: number;
  name: string;
  unit?: string;
  /** the word's card */
  term?: TermName;
}
const Label = ({ y, name, unit, term }: LabelProps) => (
  <>
    <text class="ink-2 end" x={GUTTER - 12} y={y} data-term={term}>
      {name}
    </text>
    {unit && (
      <text x={GUTTER - 12} y={y + 14} class="end" data-term={term}>
        {unit}
      </text>
    )}
  </>
);

interface ColumnsProps {
  at: Lanes;
  steps: Step[];
  branches: Branch[];
  view: TapeWindow;
  width: number;
  cursor: number;
  hover: number | null;
  size: number;
  notes: ReadonlyMap<number, string>;
}
export function Columns({ at, steps, branches, view, width, cursor, hover, size, notes }: ColumnsProps) {
  const rule = (y: number, strong = false) => (
    <path d={`M${GUTTER} ${y + 0.5}H${view.end}`} stroke={v(strong ? "rule-strong" : "rule")} />
  );
  return (
    <svg
      width={width}
      height={at.height}
      role="img"
      aria-label={`Tape, steps ${view.from} to ${view.to - 1}, step ${cursor} selected`}
    >
      <Label y={Y.num} name="step" />
      <Label y={Y.text} name="token" />
      {at.hasBytes ? (
        <>
          <Label y={Y.off} name="byte" />
          <Label y={at.z + 19} name="feasible" unit="mass Z" term="z" />
          <Label y={at.allowed + 12} name="allowed" unit="tokens, log" />
          <Label y={at.mask + 24} name="mask" unit="log µs" />
        </>
      ) : (
        <>
          <Label y={at.z + 14} name="Z" term="z" />
          <Label y={at.allowed + 12} name="allowed" />
          {at.maskHeight > 0 && <Label y={at.mask + 18} name="mask, µs" />}
        </>
      )}
      {at.modelHeight > 0 && <Label y={at.model + 12} name="model, ms" />}
      <Label y={at.cache + 14} name="cache" />
      {view.columns.map((col) => (
        <g key={col.index} transform={`translate(${col.x} 0)`}>
          <TapeColumn
            step={steps[col.index] as Step}
            width={col.width}
            at={at}
            on={col.index === cursor}
            hovered={col.index === hover}
            size={size}
            note={notes.get(col.index)}
          />
        </g>
      ))}
      {rule(at.z)}
      {rule(at.z + at.zHeight, at.hasBytes)}
      {at.maskHeight > 0 && rule(at.mask + at.maskHeight, true)}
      {at.hasBytes && (
        <>
          <text x={GUTTER - 4} y={at.z + 4} class="end">
            1
          </text>
          <text x={GUTTER - 4} y={at.z + at.zHeight + 4} class="end">
            0
          </text>
        </>
      )}
      <BranchLane top={at.hasBytes ? Y.off + 4 : Y.off - 16} branches={branches} view={view} width={width} />
      <Wanted steps={steps} cursor={cursor} columns={view.columns} at={at} width={width} />
    </svg>
  );
}

export const TapeLegend = () => (
  <div class="tape-legend">
    <span>
      {(["sampled", "forced_by_grammar", "jump_forward", "forced_by_user", "rolled_back"] as const).map((k) => (
        <b key={k}>
          <Glyph shape={k} />
          {k.replaceAll("_", " ").replace("jump forward", "jump-forward")}
        </b>
      ))}
    </span>
    <span>
      {(["context_hit", "perfect_hit", "partial_hit", "miss"] as const).map((k) => (
        <b key={k}>
          <Glyph shape={k} />
          <Term of={k}>{k === "miss" ? "miss, JIT" : k.replace("_", " ")}</Term>
        </b>
      ))}
    </span>
  </div>
);
