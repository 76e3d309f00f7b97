// What a dispatch watches for with the tally of each text, and the bytes one by one: the strip's
// table twin.

import { Token } from "../../parts/small";
import { Table } from "../../parts/table";
import { byteText, visible } from "../../text";
import type { Rule } from "../../wire";
import { nextBytes, type Reading, readAt, type TextTally, type Trie, textsBegun } from "./layout";

const KIND = { trigger: "trigger", stop: "stop string", exclude: "exclude" };

export function Texts({
  rule,
  trie,
  tallies,
  at,
  wide,
}: {
  rule: Rule;
  trie: Trie;
  tallies: TextTally[];
  at: Reading;
  wide: boolean;
}) {
  const texts = rule.dispatch?.texts ?? [];
  const begun = new Set(textsBegun(trie, at.place));
  return (
    <Table
      box="cache-entries"
      label="Watched texts"
      heads={
        wide
          ? ["text", "kind", "#read", "#armed", "#broken", "#fired", "last broken by"]
          : ["text", "#read", "#armed", "#broken", "#fired"]
      }
    >
      {texts.map(({ text, kind }, k) => {
        const tally = tallies[k];
        const live = begun.has(k);
        return (
          <tr key={text} class={live ? "is-selected" : ""} data-text={text}>
            <th scope="row" class="clip">
              <Token text={text} />
            </th>
            {wide && <td>{KIND[kind]}</td>}
            <td class="num">{live ? `${at.place?.n_read} of ${trie.bytes[k]?.length}` : ""}</td>
            <td class="num">{tally?.armed}</td>
            <td class="num">{tally?.broken}</td>
            <td class="num">{kind === "trigger" ? tally?.fired : "–"}</td>
            {wide && <td>{tally?.brokenBy === null || !tally ? "" : `byte ${tally.brokenBy}`}</td>}
          </tr>
        );
      })}
    </Table>
  );
}

/** The strip's table twin: a row a byte. */
export function Bytes({ rule, readings, cursor }: { rule: Rule; readings: Reading[]; cursor: number }) {
  return (
    <Table label="Bytes, a row each" heads={["#byte", "(value)", "mode", "text", "#read", "event"]}>
      {readings.slice(1).map((r) => (
        <tr key={r.at} class={r.at - 1 === cursor ? "is-selected" : ""}>
          <th scope="row" class="num">
            {r.at - 1}
          </th>
          <td class="mono">{r.byte === null ? "" : byteText(r.byte)}</td>
          <td>{[r.dispatching && "dispatching", r.dispatched && "dispatched"].filter(Boolean).join(", ")}</td>
          <td class="mono clip">{r.place?.n_read ? visible(rule.dispatch?.texts[r.place.text]?.text ?? "") : ""}</td>
          <td class="num">{r.place?.n_read || ""}</td>
          <td>{r.event ?? ""}</td>
        </tr>
      ))}
    </Table>
  );
}

const MOST_ROWS = 400;
/**
 * The automaton where it is too large to draw: the nodes on the way to the current one first, then
 * the others.
 */
export function Nodes({ trie, at }: { trie: Trie; at: number | null }) {
  const way: number[] = [];
  for (let id = at ?? 0; id > 0; id = trie.nodes[id]?.parent ?? 0) way.unshift(id);
  const others = trie.nodes.map((node) => node.id).filter((id) => !way.includes(id));
  const shown = [...way, ...others].slice(0, MOST_ROWS);
  const text = (id: number) => (id === 0 ? "nothing" : readAt(trie, id).map(byteText).join(""));
  return (
    <Table
      box="cache-entries"
      label="Nodes of the automaton"
      heads={["read", "goes on with", "else goes on at"]}
      more={
        shown.length < trie.nodes.length && (
          <p class="xs faint">
            {shown.length} of {trie.nodes.length} nodes
          </p>
        )
      }
    >
      {shown.map((id) => (
        <tr key={id} class={id === at ? "is-selected" : ""} data-node={id}>
          <th scope="row" class="mono">
            {text(id)}
          </th>
          <td class="mono clip">{nextBytes(trie, id).map(byteText).join(" ") || "read to its end"}</td>
          <td class="mono">{text(trie.nodes[id]?.failure ?? 0)}</td>
        </tr>
      ))}
    </Table>
  );
}
