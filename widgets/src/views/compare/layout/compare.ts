// Where things of a comparison stand: a place a step, masks that agree or differ above, times of both on a log scale below.

export const GUTTER = 56;
const DECADES = [0.1, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;

/** Decades that hold all times, at least two apart. */
export function decades(times: readonly number[]): number[] {
  const known = times.filter((us) => us > 0);
  const [low, high] = known.length ? [Math.min(...known), Math.max(...known)] : [0.1, 10];
  const from = Math.max(
    0,
    DECADES.findLastIndex((d) => d <= low),
  );
  const to = Math.max(
    from + 2,
    DECADES.findIndex((d) => d >= high),
  );
  return DECADES.slice(from, (to < 0 ? DECADES.length - 1 : to) + 1);
}

/** The height of a time: 0 at the lowest decade, 1 at the highest. */
export function place(us: number, scale: readonly number[]): number {
  const [low, high] = [Math.log10(scale[0] as number), Math.log10(scale.at(-1) as number)];
  return Math.max(0, Math.min(1, (Math.log10(Math.max(us, 1e-6)) - low) / (high - low)));
}

/** What each column of the picture shows: a step, or of a long run several of which the worst shows. */
export function columns(n: number, width: number): { per: number; step: number; n: number } {
  const per = Math.max(1, Math.ceil((n * 4) / Math.max(1, width)));
  const count = Math.ceil(n / per);
  return { per, step: Math.min(22, width / Math.max(1, count)), n: count };
}

/** A ratio as a bar round the middle: from -1 (an eighth) to 1 (eight times). */
export const lean = (ratio: number): number => Math.max(-1, Math.min(1, Math.log2(ratio) / 3));

/** Steps worth a number: five to ten of them, at round places. */
export function ticks(n: number): number[] {
  const by = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((k) => n / k <= 10) ?? 2000;
  return Array.from({ length: Math.ceil(n / by) }, (_, k) => k * by);
}
