// The whole vocabulary: p and q of each token by its rank, both axes log; below, which ranks are blocked.
import { useMemo } from "preact/hooks";
import { notRecorded } from "../../answers";
import type { Bulk } from "../../bulk";
import { v } from "../../parts/colour";
import { Empty, Swatches } from "../../parts/small";
import { int, plural } from "../../text";
import type { Step } from "../../wire";
import { type Sampler, weigh } from "./layout/dist";
import { blockedShares, type Ranks, type Run, ranksOf, rankX } from "./layout/ranks";

const KEY = [
  ["line", "p, model"],
  ["q", "q, masked"],
  ["ticks", "blocked"],
] as const;
const [LEFT, RIGHT, TOP, BELOW] = [32, 8, 8, 42];
/** what stands above and below the drawing: the legend, the sentence */
const WORDS = 48;
const DECADES = 9;
const POWERS = ["1", "10⁻³", "10⁻⁶", "10⁻⁹"];

/** pixels between two tokens from which on no line is drawn: between few tokens it would tell of others */
const GAP = 7;
interface Curve {
  d: string;
  alone: [x: number, y: number][];
}
/** One of the two as a line where tokens stand close, as dots where they stand alone. */
function curveOf(runs: readonly Run[], of: "p" | "q", x: (rank: number) => number, y: (p: number) => number): Curve {
  const marks = runs.flatMap((run) => {
    const value = run[of];
    return value ? [{ from: x(run.first), to: x(run.last), y: y(value), first: run.first, last: run.last }] : [];
  });
  const joined = marks.map((mark, k) => {
    const before = marks[k - 1];
    return before !== undefined && (mark.from - before.to < GAP || mark.first === before.last + 1);
  });
  let d = "";
  const alone: [number, number][] = [];
  marks.forEach((mark, k) => {
    const isLong = mark.to - mark.from >= 2;
    if (!joined[k] && !joined[k + 1] && !isLong) alone.push([mark.from, mark.y]);
    else
      d += `${joined[k] ? "L" : "M"}${mark.from.toFixed(1)} ${mark.y.toFixed(1)}${isLong ? `H${mark.to.toFixed(1)}` : ""}`;
  });
  return { d, alone };
}

const said = ({ holds, size, n }: Ranks): string => {
  const parts = holds.map(([share, most], k) => `${100 * share} %${k ? "" : " of p"} in ${plural(most, "token")}`);
  const rest = size > n ? `; ${plural(size - n, "token")} below 10⁻⁹` : "";
  return `${parts.join(", ")}${rest}`;
};

interface RanksProps {
  step: Step;
  bulk: Bulk | undefined;
  /** the temperature that p was recorded at */
  was: number;
  sampler: Sampler;
  width: number;
  height: number;
}
export function DistRanks({ step, bulk, was, sampler, width, height: whole }: RanksProps) {
  const height = whole - WORDS + 24;
  const { temperature, top_k, top_p } = sampler;
  const ranks = useMemo(() => {
    const weights = weigh(step, bulk, was);
    return weights && ranksOf(weights, { temperature, top_k, top_p });
  }, [step, bulk, was, temperature, top_k, top_p]);
  const w = Math.max(80, width - LEFT - RIGHT);
  const shares = useMemo(() => (ranks ? blockedShares(ranks, w) : []), [ranks, w]);
  if (!ranks)
    return (
      <div style={{ minHeight: `${whole}px` }}>
        <Empty title="Not recorded here">{notRecorded("The plot's data").message}</Empty>
      </div>
    );
  const h = height - TOP - BELOW;
  const x = (rank: number) => LEFT + rankX(rank, ranks.size, w);
  const y = (p: number) => TOP + (Math.min(DECADES, -Math.log10(p)) / DECADES) * h;
  const ends = Array.from({ length: Math.floor(Math.log10(ranks.size)) + 1 }, (_, k) => 10 ** k);
  const curves = (["p", "q"] as const).map((of) => ({ of, ...curveOf(ranks.runs, of, x, y) }));
  const n_blocked = ranks.runs.reduce((n, run) => n + (run.blocked ? run.last - run.first + 1 : 0), 0);
  const words = said(ranks);
  return (
    <div class="dist-ranks">
      <p class="dist-key" aria-hidden="true">
        <Swatches of={KEY} />
      </p>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`p and q of ${int(ranks.size)} tokens by rank. ${words}. ${plural(n_blocked, "token")} blocked.`}
      >
        {POWERS.map((text, k) => (
          <g key={text}>
            <path d={`M${LEFT} ${y(10 ** (-3 * k)) + 0.5}h${w}`} stroke={v("rule")} />
            <text class="end" x={LEFT - 6} y={y(10 ** (-3 * k)) + 4}>
              {text}
            </text>
          </g>
        ))}
        {curves.map(({ of, d, alone }) => (
          <g key={of}>
            <path d={d} fill="none" stroke={v(of)} stroke-width={of === "q" ? 2 : 1.4} />
            {alone.map(([cx, cy]) => (
              <circle key={cx} cx={cx} cy={cy} r={of === "q" ? 3 : 1.5} fill={v(of)} />
            ))}
          </g>
        ))}
        {shares.map((share, k) =>
          share ? (
            <path
              key={k}
              d={`M${LEFT + k + 0.5} ${TOP + h + 18}v${-(2 + 10 * share).toFixed(1)}`}
              stroke={v("p-lost")}
            />
          ) : null,
        )}
        {ends.map((rank) => (
          <text
            key={rank}
            class={rank === 1 ? "" : x(rank) > LEFT + w - 24 ? "end" : "mid"}
            x={rank === 1 ? LEFT : Math.min(x(rank), LEFT + w)}
            y={TOP + h + 36}
          >
            {rank === 1 ? "rank 1" : int(rank)}
          </text>
        ))}
      </svg>
      <p class="xs faint" data-holds title={words}>
        {words}
      </p>
    </div>
  );
}
