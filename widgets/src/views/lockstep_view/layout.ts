// Where the tokens of runs side by side stand: a row a side, a column a byte; and which step of a side a byte belongs to. Pure.
import type { LockstepReport, LockstepSide } from "../../wire";
import { type Cell, cellsOf } from "../compare/layout/tapes";

export const letter = (side: number): string => "ABCD"[side] ?? "?";

/** The tokens of each side; the pending step stands last, without a text. */
export function rowsOf(report: LockstepReport): { rows: Cell[][]; end: number } {
  const ends = report.sides.map(({ steps }) => Math.max(0, ...steps.map(([byte, n]) => byte + n)));
  const rows = report.sides.map(({ steps }, side) =>
    cellsOf(
      steps.map(([byte, , , text]) => [byte, text]),
      ends[side] ?? 0,
    ),
  );
  return { rows, end: Math.max(0, ...ends) };
}

/** The step of a side at a byte: the last that begins there or before it; without a byte the newest. */
export function stepAt({ steps }: LockstepSide, byte: number | null): number {
  if (byte === null) return steps.length - 1;
  return Math.max(
    0,
    steps.findLastIndex(([begin]) => begin <= byte),
  );
}

/** The least of the bytes at which sides part from the first; null: none does. */
export function firstParting({ partings }: LockstepReport): number | null {
  const bytes = partings.flatMap((parting) => (parting ? [parting.byte] : []));
  return bytes.length > 0 ? Math.min(...bytes) : null;
}
