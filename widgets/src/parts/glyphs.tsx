// One shape a meaning, 12 by 12, so that hue is never alone. Paths after the project's design reference.

import type { JSX } from "preact";
import { words } from "../words";
import { v } from "./colour";

const stroke = (name: string, width = 1.4) => ({ fill: "none", stroke: v(name), "stroke-width": width });

const SHAPES = {
  accepted: <rect x="1.5" y="1.5" width="9" height="9" fill={v("accepted")} />,
  rejected: (
    <g {...stroke("rejected", 1)}>
      <rect x="2" y="2" width="8" height="8" />
      <path d="M2 10 10 2" />
    </g>
  ),
  u_accepted: <path d="M6 .6 11.4 6 6 11.4 .6 6Z" fill={v("u-accepted")} />,
  u_rejected: <path d="M6 1.2 10.8 6 6 10.8 1.2 6ZM3.6 8.4 8.4 3.6" {...stroke("u-rejected")} />,
  special: <path d="M6 1 11.2 10.6H.8Z" fill={v("special")} />,
  stop: (
    <g>
      <circle cx="6" cy="6" r="4.6" {...stroke("stop")} />
      <circle cx="6" cy="6" r="1.9" fill={v("stop")} />
    </g>
  ),
  padding: (
    <g {...stroke("padding", 1)}>
      <rect x="1.5" y="1.5" width="9" height="9" />
      <path d="M1.5 6 6 1.5M1.5 10.5l9-9M6 10.5 10.5 6" />
    </g>
  ),
  neither: <rect x="5" y="5" width="2" height="2" fill={v("mark")} />,
  both: <rect x="2" y="2" width="8" height="8" {...stroke("mark")} />,
  only_a: (
    <g>
      <rect x="1.6" y="1.6" width="8.8" height="8.8" {...stroke("amber", 1.2)} />
      <path d="M1.6 1.6H6V10.4H1.6Z" fill={v("amber")} />
    </g>
  ),
  only_b: (
    <g>
      <rect x="1.6" y="1.6" width="8.8" height="8.8" {...stroke("blue", 1.2)} />
      <path d="M6 1.6H10.4V10.4H6Z" fill={v("blue")} />
    </g>
  ),
  perfect_hit: <circle cx="6" cy="6" r="4.6" fill={v("hit-perfect")} />,
  context_hit: (
    <g>
      <circle cx="6" cy="6" r="4.8" {...stroke("hit-context")} />
      <circle cx="6" cy="6" r="2.6" fill={v("hit-context")} />
    </g>
  ),
  partial_hit: (
    <g>
      <circle cx="6" cy="6" r="4.6" {...stroke("hit-partial")} />
      <path d="M6 1.4a4.6 4.6 0 0 0 0 9.2Z" fill={v("hit-partial")} />
    </g>
  ),
  miss: <path d="M6 1 11.3 10.6H.7Z" fill={v("miss")} />,
  error: (
    <g>
      <circle cx="6" cy="6" r="5.4" fill={v("error")} />
      <path d="M3.9 3.9 8.1 8.1M8.1 3.9 3.9 8.1" {...stroke("paper")} />
    </g>
  ),
  warning: (
    <g>
      <path d="M6 .8 11.6 11H.4Z" fill={v("warning")} />
      <path d="M6 4.2V7.4M6 8.6V10" {...stroke("paper", 1.3)} />
    </g>
  ),
  hint: (
    <g {...stroke("hint", 1.3)}>
      <circle cx="6" cy="6" r="4.9" />
      <path d="M6 5.4V8.8M6 3.1V4.4" />
    </g>
  ),
  no: <path d="M2.4 2.4 9.6 9.6M9.6 2.4 2.4 9.6" {...stroke("vermillion", 1.8)} />,
  yes: <path d="M1.8 6.4 4.8 9.4 10.4 2.8" {...stroke("teal", 1.8)} />,
  sampled: <path d="M0 6H12" {...stroke("sampled", 1.2)} />,
  forced_by_grammar: <path d="M0 4.4H12M0 7.6H12" {...stroke("by-grammar")} />,
  jump_forward: <path d="M.6 3 3.6 6 .6 9M4.6 3 7.6 6 4.6 9M8.6 3 11.6 6 8.6 9" {...stroke("jump")} />,
  forced_by_user: (
    <g>
      <path d="M0 3H12" {...stroke("by-user", 3)} />
      <path d="M3.4 6H8.6L6 10.4Z" fill={v("by-user")} />
    </g>
  ),
  rolled_back: (
    <g {...stroke("rolled-back", 1)}>
      <rect x=".7" y="2" width="10.6" height="8" stroke-dasharray="2 1.4" />
      <path d="M2.4 6H9.6" />
    </g>
  ),
} satisfies Record<string, JSX.Element>;
export type Shape = keyof typeof SHAPES;

export const CLASS_SHAPES: readonly Shape[] = [
  "rejected",
  "accepted",
  "u_accepted",
  "u_rejected",
  "special",
  "stop",
  "stop",
  "padding",
  "neither",
  "both",
  "only_a",
  "only_b",
];
export const CLASS_NAMES: readonly string[] = [
  ...words.mask_classes,
  "neither allows",
  "both allow",
  "A alone allows",
  "B alone allows",
];

export const Glyph = ({ shape, size = 12 }: { shape: Shape; size?: number }) => (
  <svg class="glyph" viewBox="0 0 12 12" style={{ width: `${size}px`, height: `${size}px` }} aria-hidden="true">
    {SHAPES[shape]}
  </svg>
);
/** The same shape inside a drawing, centred on a point. */
export const Mark = ({ shape, x, y, size = 12 }: { shape: Shape; x: number; y: number; size?: number }) => (
  <g transform={`translate(${x - size / 2} ${y - size / 2}) scale(${size / 12})`}>{SHAPES[shape]}</g>
);

const ICONS = {
  start: "M3 3v10M13 3 6 8l7 5Z",
  back: "M11 3 5 8l6 5Z",
  step: "M5 3l6 5-6 5Z",
  run: "M4 3l9 5-9 5Z",
  pause: "M5 3v10M11 3v10",
  undo: "M6 3 2.5 6.5 6 10M2.5 6.5h7a3.5 3.5 0 0 1 0 7H6",
  branch: "M4 2v12M4 11c0-4 8-2 8-6M12 2.2a1.6 1.6 0 1 1 0 .1",
  before: "M10 3 5 8l5 5",
  after: "M6 3l5 5-5 5",
  end: "M13 3v10M3 3l7 5-7 5Z",
  search: "M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM10 10l4 4",
  table: "M2 3h12v10H2ZM2 6.5h12M2 10h12M6.5 3v10",
  picture: "M2 3h12v10H2ZM4 11l3-4 2.4 3 1.6-2 2 3M11 5.6v.1",
  maximise: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  restore: "M6 3v3H3M13 6h-3V3M10 13v-3h3M3 10h3v3",
  more: "M3 7.5v1M8 7.5v1M13 7.5v1M2.5 8h1M7.5 8h1M12.5 8h1",
  panes: "M2 3h12v10H2ZM8 3v10M2 8h6",
  screen: "M2 6V3h4M10 3h4v3M14 10v3h-4M6 13H2v-3M6 6h4v4H6Z",
  fold: "M4 6l4 4 4-4",
  present: "M2 3h12v8H2ZM8 11v2M5 13.5h6M5 6h6M5 8h3",
  copy: "M5 5V2.5h8.5V11H11M2.5 5H11v8.5H2.5Z",
  out: "M7 3H2.5v10.5H13V9M9.5 2.5h4v4M13.5 2.5 7.5 8.5",
  into: "M7 3H2.5v10.5H13V9M13.5 2.5 7.5 8.5M11.5 8.5h-4v-4",
} as const;
export const Icon = ({ name, filled = false }: { name: keyof typeof ICONS; filled?: boolean }) => (
  <svg
    width="14"
    height="14"
    viewBox="0 0 16 16"
    fill={filled ? "currentColor" : "none"}
    stroke="currentColor"
    stroke-width="1.4"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={ICONS[name]} />
  </svg>
);
