// A rule as a railroad: boxes that can be clicked, and a list of rules that says the same by keyboard.
import { useMemo } from "preact/hooks";
import type { Good, RuleFacts, Span, Track } from "../wire";
import { BOX, type Box, railroadOf } from "./railroad_layout";
import { trackText } from "./railroad_text";

interface Props {
  rule: RuleFacts;
  width: number;
  /** places in which the session's parse stands, and the selected ones */
  live: readonly Span[];
  marked: readonly Span[];
  pick: (box: Box) => void;
}
const overlaps = (spans: readonly Span[], [b, e]: Span) => spans.some(([from, to]) => from < e && b < to);
const SHOWN = { literal: 10.5, class: 10.5, rule: 2, other: 2 };

export function Railroad({ rule, width, live, marked, pick }: Props) {
  const drawing = useMemo(() => railroadOf(rule.track as Track, width), [rule, width]);
  return (
    <svg
      width={drawing.width}
      height={drawing.height}
      role="img"
      aria-label={`${rule.name}: ${trackText(rule.track as Track)}`}
    >
      {drawing.tracks.map((d) => (
        <path key={d} d={d} class="rail-track" />
      ))}
      {drawing.labels.map(({ x, y, text }) => (
        <text key={`${x},${y}`} x={x} y={y} class="mid">
          {text}
        </text>
      ))}
      {drawing.boxes.map((box) => {
        const at = overlaps(marked, box.span) ? "is-marked" : overlaps(live, box.span) ? "is-live" : "";
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the pointer; keys have the list of rules
          <g key={`${box.x},${box.y}`} class={`rail-box ${box.kind} ${at}`} onClick={() => pick(box)}>
            <title>{box.whole}</title>
            <rect x={box.x + 0.5} y={box.y - BOX / 2 + 0.5} width={box.w - 1} height={BOX - 1} rx={SHOWN[box.kind]} />
            <text x={box.x + box.w / 2} y={box.y + 4} class="mono mid s12">
              {box.text}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** The rule to draw: the one that was pointed at, else the first. */
export const ruleToDraw = (good: Good, name: string | null): RuleFacts | null =>
  good.rules.find((rule) => rule.name === name && rule.track) ?? good.rules.find((rule) => rule.track) ?? null;
