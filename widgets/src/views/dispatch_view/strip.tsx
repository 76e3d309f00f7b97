// The bytes of the output as a dispatch read them: how far a trigger had come, where it armed, broke and fired, and the mode below.

import { v } from "../../parts/colour";
import { byteText } from "../../text";
import type { Reading } from "./layout";

export const BYTE = 14;
const GUTTER = 92;
const BARS = 56;
const TEXT = BARS + 22;
const AXIS = TEXT + 18;
const MODES = AXIS + 8;
export const STRIP_HEIGHT = MODES + 34;

export interface ByteWindow {
  from: number;
  to: number;
}
/** The readings round one of them that fit; a little more of the past. */
export function byteWindow(n: number, width: number, at: number): ByteWindow {
  const fits = Math.max(1, Math.floor((width - GUTTER - 8) / BYTE));
  const from = Math.max(0, Math.min(at - Math.floor(fits * 0.7), n - fits));
  return { from, to: Math.min(n, from + fits) };
}
/** The byte under a point. */
export const byteAtX = (view: ByteWindow, x: number): number | null => {
  const at = view.from + Math.floor((x - GUTTER) / BYTE);
  return x < GUTTER || at >= view.to ? null : at;
};

export function StripDrawing(props: {
  readings: Reading[];
  view: ByteWindow;
  longest: number;
  cursor: number;
  width: number;
}) {
  const { readings, view, longest, cursor, width } = props;
  const shown = readings.slice(view.from, view.to);
  return (
    <svg width={width} height={STRIP_HEIGHT} aria-hidden="true">
      <text class="ink-2" x="0" y="16">
        trigger bytes
      </text>
      <text x={GUTTER - 8} y={BARS} class="end">
        0
      </text>
      <text x={GUTTER - 8} y="30" class="end">
        {longest}
      </text>
      <text class="ink-2" x="0" y={TEXT}>
        text
      </text>
      <text class="ink-2" x="0" y={AXIS}>
        byte
      </text>
      <text class="ink-2" x="0" y={MODES + 11}>
        dispatching
      </text>
      <text class="ink-2" x="0" y={MODES + 27}>
        dispatched
      </text>
      <path d={`M${GUTTER} ${BARS + 0.5}H${width}`} stroke={v("rule-strong")} />
      {shown.map((reading, k) => {
        const x = GUTTER + k * BYTE;
        const { place, event } = reading;
        const height = place ? (place.n_read / longest) * (BARS - 22) : 0;
        const hasFired = event === "fires";
        return (
          <g key={reading.at} data-byte={reading.at - 1} data-event={event}>
            {reading.at - 1 === cursor && (
              <rect x={x} y={TEXT - 13} width={BYTE} height="18" rx="2" fill={v("select")} stroke={v("select-line")} />
            )}
            {height > 0 && (
              <rect
                x={x + 1}
                y={BARS - height}
                width={BYTE - 2}
                height={height}
                fill={v(hasFired ? "teal" : "amber")}
              />
            )}
            {hasFired && (
              <g>
                <path d={`M${x + BYTE} 14V${MODES + 30}`} stroke={v("ink")} stroke-width="1.5" />
                <text class="ink strong haloed end" x={x + BYTE - 2} y="11">
                  fired
                </text>
              </g>
            )}
            {event === "breaks" && (
              <rect x={x + 0.5} y={TEXT - 13} width={BYTE - 1} height="18" fill="none" stroke={v("vermillion")}>
                <title>breaks the trigger</title>
              </rect>
            )}
            {reading.byte !== null && (
              <text
                class={byteText(reading.byte).length === 1 ? "mono ink s12" : "mono"}
                x={x + BYTE / 2}
                y={TEXT}
                text-anchor="middle"
              >
                {byteText(reading.byte)}
              </text>
            )}
            {reading.at > 0 && (reading.at - 1) % 10 === 0 && (
              <text x={x + BYTE / 2} y={AXIS} class="mid">
                {reading.at - 1}
              </text>
            )}
            {reading.dispatching && <rect x={x} y={MODES + 3} width={BYTE} height="8" fill={v("mark")} />}
            {reading.dispatched && <rect x={x} y={MODES + 19} width={BYTE} height="8" fill={v("blue")} />}
          </g>
        );
      })}
    </svg>
  );
}
