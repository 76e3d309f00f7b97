// The unit of probability as one bar, cut by provenance: left of the needle is what the mask leaves.
import { isAllowed } from "../../bulk";
import { v } from "../../parts/colour";
import { CLASS_NAMES, CLASS_SHAPES, Mark } from "../../parts/glyphs";
import { prob } from "../../text";

/** allowed classes first */
const ORDER = [1, 2, 5, 0, 3, 6, 4, 7];
const COLOURS = ["rejected", "accepted", "u-accepted", "u-rejected", "special", "stop", "stop", "padding"];
const [TOP, HEIGHT] = [20, 14];

export function MassBar({ mass, z, width }: { mass: readonly number[]; z: number; width: number }) {
  let x = 0;
  const parts = ORDER.map((code) => {
    const w = (mass[code] ?? 0) * width;
    x += w;
    return { code, x: x - w, w };
  }).filter(({ w }) => w > 0.4);
  const needle = Math.round(z * width * 2) / 2;
  const turned = needle > 92;
  const lost = `${prob(1 - z)} lost`;
  const said = ORDER.filter((code) => (mass[code] ?? 0) >= 0.0005).map(
    (c) => `${CLASS_NAMES[c]} ${prob(mass[c] ?? 0)}`,
  );
  return (
    <svg width={width} height="54" role="img" aria-label={`Feasible mass Z ${prob(z)}: ${said.join(", ")}`}>
      <defs>
        <pattern id="dist-lost" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="4" height="4" fill={v("vermillion-wash")} />
          <path d="M0 0V4" stroke={v("p-lost")} stroke-width="1.6" />
        </pattern>
      </defs>
      {parts.map(({ code, x, w }) => (
        <g key={code}>
          {isAllowed(code) ? (
            <rect x={x} y={TOP} width={Math.max(1, w - 1)} height={HEIGHT} fill={v(COLOURS[code] as string)} />
          ) : (
            <rect
              x={x + 0.5}
              y={TOP + 0.5}
              width={Math.max(1, w - 1.5)}
              height={HEIGHT - 1}
              fill={w > 8 ? "url(#dist-lost)" : v(COLOURS[code] as string)}
              stroke={v(code === 0 || code === 3 ? "p-lost" : (COLOURS[code] as string))}
            />
          )}
          {w > 52 && (
            <g>
              <Mark shape={CLASS_SHAPES[code] ?? "rejected"} x={x + 6} y={TOP + HEIGHT + 11} size={10} />
              <text class="ink-2" x={x + 15} y={TOP + HEIGHT + 15}>
                {prob(mass[code] ?? 0)}
              </text>
            </g>
          )}
        </g>
      ))}
      <path d={`M${needle} ${TOP - 6}v${HEIGHT + 12}`} stroke={v("ink")} stroke-width="1.5" />
      <text class="ink strong" x={turned ? needle - 6 : needle + 6} y={TOP - 7} text-anchor={turned ? "end" : "start"}>
        Z {prob(z)}
        {!turned && (
          <tspan class="lost-said" dx="8">
            {lost}
          </tspan>
        )}
      </text>
      {turned && (
        <text
          class="lost-said"
          x={width - needle < 76 ? width : needle + 6}
          y={width - needle < 76 ? TOP + HEIGHT + 15 : TOP - 7}
          text-anchor={width - needle < 76 ? "end" : "start"}
        >
          {lost}
        </text>
      )}
    </svg>
  );
}
