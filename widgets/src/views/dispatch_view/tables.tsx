// What a dispatch watches for with the tally of each text, and the bytes one by one: the strip's table twin.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon } from "../../parts/glyphs";
import { Token } from "../../parts/small";
import { Table } from "../../parts/table";
import { byteText, int, visible } from "../../text";
import type { Rule } from "../../wire";
import { byteRuns, type Reading, readAt, rowsFrom, type TagsAt, type TextTally, type Trie, textsBegun } from "./layout";

const KIND = { trigger: "trigger", stop: "stop string", exclude: "exclude" };

interface ListedRow {
  text: string;
  kind?: string;
  /** whether the bytes that were read can still become it */
  alive: boolean;
  cells: ComponentChildren;
}
const [FEW, MOST_LISTED] = [12, 40];
/** A table of texts, those alive first. A long list has a field that finds a text, a button for those alive, and a count of what it leaves out. */
function Listed({
  label,
  heads,
  rows,
  of,
}: {
  label: string;
  heads: readonly string[];
  rows: ListedRow[];
  of: string;
}) {
  const query = useSignal("");
  const onlyAlive = useSignal(false);
  const isLong = rows.length > FEW;
  const alive = rows.filter((row) => row.alive);
  const ordered = onlyAlive.value ? alive : [...alive, ...rows.filter((row) => !row.alive)];
  const found = ordered.filter(({ text }) => text.includes(query.value));
  const shown = found.slice(0, MOST_LISTED);
  return (
    <>
      {isLong && (
        <p class="text-tools xs faint">
          <label class="field search">
            <Icon name="search" />
            <input
              type="search"
              placeholder="find a text"
              aria-label={`Find one of the ${of}`}
              value={query.value}
              onInput={(event) => {
                query.value = event.currentTarget.value;
              }}
            />
          </label>
          <button
            type="button"
            aria-pressed={onlyAlive.value}
            title="Only texts that the bytes read so far can still become"
            onClick={() => {
              onlyAlive.value = !onlyAlive.value;
            }}
          >
            alive
          </button>
          <span role="status">
            {int(alive.length)} of {int(rows.length)} alive
            {found.length > shown.length && `; ${int(shown.length)} of ${int(found.length)} shown`}
            {found.length === 0 && "; none is found"}
          </span>
        </p>
      )}
      <Table box="cache-entries" label={label} heads={heads}>
        {shown.map(({ text, alive, cells }) => (
          <tr key={text} class={alive ? "is-selected" : ""} data-text={text} data-alive={alive}>
            <th scope="row" class="clip">
              <Token text={text} />
            </th>
            {cells}
          </tr>
        ))}
      </Table>
    </>
  );
}

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
  const rows = texts.map(({ text, kind }, k): ListedRow => {
    const tally = tallies[k];
    const alive = begun.has(k);
    return {
      text,
      alive,
      cells: (
        <>
          {wide && <td>{KIND[kind]}</td>}
          <td class="num">{alive ? `${at.place?.n_read} of ${trie.bytes[k]?.length}` : ""}</td>
          <td class="num">{tally?.armed}</td>
          <td class="num">{tally?.broken}</td>
          <td class="num">{kind === "trigger" ? tally?.fired : "–"}</td>
          {wide && <td>{tally?.brokenBy === null || !tally ? "" : `byte ${tally.brokenBy}`}</td>}
        </>
      ),
    };
  });
  const heads = wide
    ? ["text", "kind", "#read", "#armed", "#broken", "#fired", "last broken by"]
    : ["text", "#read", "#armed", "#broken", "#fired"];
  return <Listed label="Watched texts" heads={heads} rows={rows} of="watched texts" />;
}

/** The tags of the trigger that fired. */
export function Tags({ tags }: { tags: TagsAt }) {
  const alive = new Map(tags.alive.map((one) => [one.tag, one]));
  const rows = tags.all.map((tag): ListedRow => {
    const one = alive.get(tag);
    return {
      text: tag,
      alive: one !== undefined,
      cells: <td class="num">{one ? `${one.n_read} of ${one.n_bytes}` : ""}</td>,
    };
  });
  const unnamed = tags.others.map(
    (said): ListedRow => ({ text: `begins with ${said}`, alive: true, cells: <td class="num">not known</td> }),
  );
  const label = `Tags of ${visible(tags.trigger)}`;
  return <Listed label={label} heads={["tag", "#read"]} rows={[...rows, ...unnamed]} of="tags" />;
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

const MOST_ROWS = 60;
/** The automaton where it is too large to draw: the nodes on the way to the current one, then those that can follow. */
export function Nodes({ trie, at }: { trie: Trie; at: number | null }) {
  const { rows, left } = rowsFrom(trie, at, MOST_ROWS);
  const text = (id: number) => (id === 0 ? "nothing" : readAt(trie, id).map(byteText).join(""));
  return (
    <Table
      box="cache-entries"
      label="Nodes of the automaton"
      heads={["read", "goes on with", "else goes on at"]}
      more={left > 0 && <p class="xs faint">and {int(left)} more that can follow</p>}
    >
      {rows.map(({ id, next }) => (
        <tr key={id} class={id === at ? "is-selected" : ""} data-node={id}>
          <th scope="row" class="mono">
            {text(id)}
          </th>
          <td class="mono clip">{byteRuns(next).join(" ") || "read to its end"}</td>
          <td class="mono">{text(trie.nodes[id]?.failure ?? 0)}</td>
        </tr>
      ))}
    </Table>
  );
}
