// Legend of the mask, one row a class: glyph, words, count, mass. A row filters, and so does its number key.
import type { Signal } from "@preact/signals";
import { type Bulk, decodeProb, isXor } from "../../bulk";
import { CLASS_NAMES, CLASS_SHAPES, Glyph } from "../../parts/glyphs";
import { Token } from "../../parts/small";
import type { Store } from "../../store";
import { int, prob } from "../../text";
import { CLASS_KEYS, XOR_KEYS } from "./classes";

const nameOf = (codes: readonly number[], bulk: Bulk): string => {
  const present = codes.filter((code) => bulk.counts[code]);
  return CLASS_NAMES[present[0] ?? (codes[0] as number)] as string;
};

/** The classes by their keys: of a mask, or of two. */
export const keysOf = (bulk: Bulk) => (isXor(bulk) ? XOR_KEYS : CLASS_KEYS);

interface LegendProps {
  solo: Signal<number | null>;
  bulk: Bulk;
  /** false: a row of glyphs and counts, whose words are titles */
  hasWords?: boolean;
}
export function Legend({ solo, bulk, hasWords = true }: LegendProps) {
  const sum = (codes: readonly number[], of: readonly number[]) => codes.reduce((n, code) => n + (of[code] ?? 0), 0);
  return (
    <ul class={hasWords ? "lens-legend" : "lens-legend is-short"} aria-label="Classes of the mask">
      {keysOf(bulk).map((codes, k) => {
        const n = sum(codes, bulk.counts);
        const mass = bulk.mass ? sum(codes, bulk.mass) : null;
        const heavy = mass !== null && mass > 0.1 && (codes[0] === 3 || codes[0] === 0);
        return (
          <li key={codes[0]}>
            <button
              type="button"
              role="switch"
              aria-checked={solo.value === k}
              class={n === 0 ? "none" : ""}
              title={`${nameOf(codes, bulk)}: show this class alone (${k + 1})`}
              onClick={() => {
                solo.value = solo.value === k ? null : k;
              }}
            >
              <kbd>{k + 1}</kbd>
              <Glyph shape={CLASS_SHAPES[codes[0] as number] ?? "rejected"} />
              <span class="name" data-term={codes.includes(2) || codes.includes(3) ? "uncertain" : undefined}>
                {nameOf(codes, bulk)}
              </span>
              <span class="num">{int(n)}</span>
              <span class={heavy ? "num xs bad" : "num xs faint"}>
                {mass === null || n === 0 ? "" : `p ${prob(mass)}`}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Whether the session has a model; without one no token has a probability. */
export const hasModel = (store: Store): boolean => Boolean(store.link.trace.value?.header.model);
/** In which order the lists of tokens stand. */
export const orderOf = (store: Store): string => (hasModel(store) ? "most probable first" : "by token id, no model");

interface ListProps {
  store: Store;
  ids: readonly number[];
  bulk: Bulk | null;
  text: (id: number) => string;
  title: string;
  total: number;
}
/** Tokens as a table: search hits, one class alone, or the table twin of the picture. */
export function TokenList({ store, ids, bulk, text, title, total }: ListProps) {
  const exact = new Map(store.step.value?.top.map(([id, , p]) => [id, p]));
  return (
    <div class="lens-list">
      <table class="table">
        <caption class="xs faint">{title}</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">class</th>
            <th scope="col">token</th>
            <th scope="col">id</th>
            <th scope="col">p</th>
          </tr>
        </thead>
        <tbody>
          {ids.map((id, row) => {
            const code = bulk?.provenance[id] ?? 0;
            const p = exact.get(id) ?? (bulk ? decodeProb(bulk.probability[id] ?? 0) : 0);
            return (
              <tr
                key={row}
                class={store.selection.value.token === id ? "is-selected" : ""}
                onClick={() => store.select({ token: id })}
              >
                <td>
                  <Glyph shape={CLASS_SHAPES[code] ?? "rejected"} />
                </td>
                <th scope="row">
                  <button
                    type="button"
                    class="plain"
                    title={CLASS_NAMES[code]}
                    onClick={() => store.select({ token: id })}
                  >
                    <Token text={text(id)} cls="clip" />
                  </button>
                </th>
                <td class="num faint">{id}</td>
                <td class="num">{p > 0 ? `${exact.has(id) ? "" : "≈ "}${prob(p)}` : ""}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {total > ids.length && <p class="xs faint">and {int(total - ids.length)} more</p>}
    </div>
  );
}
