// The most wanted tokens: p as an outline, q as a bar in it, what is blocked hatched. Name and bar select a token; the selected row has
// the button that forces it.
import { isAllowed } from "../../bulk";
import { CLASS_NAMES, CLASS_SHAPES, Glyph } from "../../parts/glyphs";
import { P_AND_Q, Seg, Swatches, Token } from "../../parts/small";
import type { Store } from "../../store";
import { prob, visible } from "../../text";
import type { Candidate, Step } from "../../wire";
import type { WhatIf } from "./layout/dist";

export type Order = "p" | "q" | "blocked" | "all";
export const OrderSeg = ({ order, pick }: { order: Order; pick: (order: Order) => void }) => (
  <Seg
    label="Which tokens are shown"
    options={[
      ["p", "by p"],
      ["q", "by q"],
      ["blocked", "blocked"],
      ["all", "all"],
    ]}
    on={order}
    pick={pick}
  />
);

export interface Row {
  candidate: Candidate;
  rank: number | null;
  p: number;
  q: number | null; // null: blocked
}

/** Tokens that the trace lists by rank; those after them are allowed ones, whose rank is not known. */
const RANKED = 20;
const FEW = 4;
const blockedBy = ([, , , , code]: Candidate): boolean => code !== null && !isAllowed(code);

/** The rows to show: in the order asked for, the chosen token among them, as the sliders have p and q. */
export function rowsOf(step: Step, order: Order, n: number, now: WhatIf | null): Row[] {
  const rows = step.top.map((candidate, k): Row => {
    const [id, , p, q] = candidate;
    const rank = k < RANKED ? k + 1 : null;
    return {
      candidate,
      rank: id === step.token_id ? (step.rank ?? rank) : rank,
      p: now?.p.get(id) ?? p ?? 0,
      q: blockedBy(candidate) ? null : now ? (now.q.get(id) ?? 0) : (q ?? 0),
    };
  });
  const chosen = rows.find((row) => row.candidate[0] === step.token_id);
  if (!chosen && step.token_id !== null && step.p !== null)
    rows.push({
      candidate: [step.token_id, step.text, step.p, step.q, null],
      rank: step.rank,
      p: step.p,
      q: step.q,
    });
  if (order === "blocked") return rows.filter((row) => row.q === null).slice(0, n);
  if (order === "q") rows.sort((a, b) => (b.q ?? -1) - (a.q ?? -1));
  // in the order of p what may come next can be far down: some of it has a place, and so has what was chosen
  const wanted = rows.filter(({ candidate, q }) => q !== null || candidate[0] === step.token_id).slice(0, FEW);
  const mine = rows.find(({ candidate }) => candidate[0] === step.token_id);
  if (mine && !wanted.includes(mine)) wanted.push(mine);
  const room = n - wanted.filter((row) => rows.indexOf(row) >= n - FEW).length;
  const shown = rows.slice(0, Math.max(0, room));
  shown.push(...wanted.filter((row) => !shown.includes(row)));
  for (const row of rows) if (shown.length < n && !shown.includes(row)) shown.push(row);
  if (order === "p") shown.sort((a, b) => rows.indexOf(a) - rows.indexOf(b));
  return shown;
}

const width = (value: number, max: number): string => `${Math.max(0.4, (value / max) * 100)}%`;

interface RowsProps {
  store: Store;
  step: Step;
  rows: readonly Row[];
  n: number;
  /** whether the legend has room above the bars; else it has a line of its own */
  wide: boolean;
}
export function DistRows({ store, step, rows, n, wide }: RowsProps) {
  const selected = store.selection.value.token;
  const max = Math.max(1e-9, ...rows.map((row) => Math.max(row.p, row.q ?? 0)));
  const keys = (event: KeyboardEvent, [id]: Candidate, blocked: boolean) => {
    if (event.key === "Enter") blocked ? store.select({ token: id }) : store.force(id);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const item = (event.currentTarget as HTMLElement).closest("li");
      const next = event.key === "ArrowDown" ? item?.nextElementSibling : item?.previousElementSibling;
      (next?.querySelector("button") as HTMLElement | null)?.focus();
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };
  const key = <Swatches of={P_AND_Q} />;
  const head = (
    <div class="dist-row dist-names" aria-hidden="true">
      <span />
      <span />
      <span>token</span>
      {wide ? key : <span />}
      <span class="num">p</span>
      <span class="num">q</span>
      <span />
    </div>
  );
  return (
    <>
      {!wide && (
        <p class="dist-key" aria-hidden="true">
          {key}
        </p>
      )}
      {head}
      <ol class="dist-list" style={{ minHeight: `${24 * n}px` }}>
        {rows.map(({ candidate, rank, p, q }, k) => {
          const [id, text, , , code] = candidate;
          const blocked = q === null;
          const chosen = id === step.token_id;
          const name = visible(text);
          return (
            <li key={k} class={id === selected ? "dist-row is-selected" : "dist-row"} data-row={id}>
              <button
                type="button"
                class="pick"
                aria-pressed={id === selected}
                data-token={id}
                title={`${CLASS_NAMES[code ?? 1]}, id ${id}; ⏎: ${blocked ? "why" : store.forcing}`}
                onClick={() => store.select({ token: id })}
                onKeyDown={(event) => keys(event, candidate, blocked)}
              >
                <span class="num faint xs">{rank ?? "·"}</span>
                <Glyph shape={CLASS_SHAPES[code ?? 1] ?? "accepted"} />
                <Token text={text} cls={blocked ? "clip dim" : "clip"} />
                <span class="unseen">
                  p {prob(p)}, {blocked ? "blocked" : `q ${prob(q)}`}
                </span>
              </button>
              <button
                type="button"
                class="bars"
                tabIndex={-1}
                aria-label={`Select ${name}`}
                title={blocked ? `Why ${name} is blocked` : `Select ${name}`}
                onClick={() => store.select({ token: id })}
              >
                <i class={blocked ? "p lost" : "p"} style={{ width: width(p, max) }} />
                {!blocked && q > 0 && <i class="q" style={{ width: width(q, max) }} />}
              </button>
              <span class="num">{prob(p)}</span>
              <span class={blocked ? "num faint" : "num qn"}>{blocked ? "–" : q > 0 ? prob(q) : "cut"}</span>
              {id === selected && !blocked && !chosen && store.canCommand.value ? (
                <button
                  type="button"
                  class="xs force"
                  aria-label={`${store.past === null ? "Force" : "Branch and force"} ${name} at step ${step.index}`}
                  title={`${store.past === null ? "" : "The later tokens stay as a branch. "}⏎: ${store.forcing} ${name}`}
                  onClick={() => store.force(id)}
                >
                  {store.past === null ? "force" : "branch"}
                </button>
              ) : (
                <span class="xs dim">{chosen ? (step.kind === "forced_by_user" ? "forced" : "chosen") : ""}</span>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}
