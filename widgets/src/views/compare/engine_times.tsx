// The engines with their versions, how far each follows the text, and its times: compiling, the first mask, cold and warm percentiles.
import { v } from "../../parts/colour";
import { Glyph } from "../../parts/glyphs";
import { Table } from "../../parts/table";
import { micros } from "../../text";
import type { EngineReport, EngineSide } from "../../wire";
import { decades, place } from "./layout/compare";
import { percentile, stateOf } from "./layout/engines";

const SHARES = [
  [0.5, "p50"],
  [0.99, "p99"],
  [1, "max"],
] as const;
const STRIP = 132;
const time = (us: number | null | undefined) => (us === null || us === undefined ? "–" : micros(us));

/** Cold and warm on one log scale: a ring and a disc at the median, lines to the slowest mask. */
function Strip({ side, scale }: { side: EngineSide; scale: readonly number[] }) {
  const x = (us: number) => 5 + place(us, scale) * (STRIP - 10);
  const bar = (us: readonly number[], y: number, isCold: boolean) => {
    const [median, most] = [percentile(us, 0.5), percentile(us, 1)];
    if (median === null || most === null) return null;
    return (
      <g>
        <path d={`M${x(median)} ${y}H${x(most)}`} stroke={v(isCold ? "mark" : "blue")} />
        <circle
          cx={x(median)}
          cy={y}
          r="3"
          fill={v(isCold ? "paper" : "blue")}
          stroke={v(isCold ? "ink-2" : "blue")}
          stroke-width="1.2"
        />
      </g>
    );
  };
  return (
    <svg width={STRIP} height="18" aria-hidden="true">
      {scale.map((us) => (
        <path key={us} d={`M${Math.round(x(us)) + 0.5} 0V18`} stroke={v("rule")} />
      ))}
      {bar(side.cold_us, 5, true)}
      {bar(side.warm_us, 13, false)}
    </svg>
  );
}

export function EngineTimes({ report, isWide }: { report: EngineReport; isWide: boolean }) {
  const all = report.engines.flatMap(({ cold_us, warm_us }) => [...cold_us, ...warm_us]);
  const scale = decades(all);
  const shares = SHARES.slice(0, isWide ? 3 : 2);
  return (
    <div class="engine-times">
      <Table
        heads={[
          "engine",
          ...(isWide ? ["version"] : []),
          "takes",
          "#compile",
          ...(isWide ? ["#again"] : []),
          "#first mask",
          ...shares.flatMap(([, name]) => [`#${name} cold`, `#${name} warm`]),
          ...(isWide ? ["cold, warm; log"] : []),
        ]}
        label="Engines and their times"
        cls="engines-table"
        more={
          isWide && (
            <p class="xs faint">
              ring: cold, just after compiling; disc: warm, the median of three more replays; line: to the slowest mask
              {scale.length > 0 && ` (${time(scale[0])} to ${time(scale.at(-1))})`}
            </p>
          )
        }
      >
        {report.engines.map((one) => (
          <tr key={one.name} data-engine={one.name} data-phase={one.phase}>
            <th scope="row">
              {one.name} {!isWide && <span class="xs faint">{one.version}</span>}
            </th>
            {isWide && <td class="faint">{one.version || "–"}</td>}
            <td class={one.failed ? "bad" : ""}>
              {(one.failed || one.refused) && <Glyph shape={one.failed ? "error" : "hint"} size={10} />}{" "}
              {stateOf(one, report.tape.length)}
            </td>
            <td class="num" title={`again: ${time(one.compile_us[1])}`}>
              {time(one.compile_us[0])}
            </td>
            {isWide && <td class="num">{time(one.compile_us[1])}</td>}
            <td class="num">{time(one.cold_us[0])}</td>
            {shares.map(([share, name]) =>
              [one.cold_us, one.warm_us].map((us, k) => (
                <td key={`${name} ${k}`} class="num">
                  {time(percentile(us, share))}
                </td>
              )),
            )}
            {isWide && (
              <td>
                <Strip side={one} scale={scale} />
              </td>
            )}
          </tr>
        ))}
      </Table>
    </div>
  );
}
