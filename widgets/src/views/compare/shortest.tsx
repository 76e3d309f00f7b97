// The shortest text on which A and B part, along any text and not only the session's: the search, and what it found.
import { Glyph } from "../../parts/glyphs";
import { Notice } from "../../parts/small";
import { Table } from "../../parts/table";
import { hex, int, plural, visible } from "../../text";
import type { CompareReport, Shortest } from "../../wire";

const byte = (k: number) => (k > 0x20 && k < 0x7f ? String.fromCharCode(k) : k === 0x20 ? "·" : hex(k));
const ranges = (some: Shortest["only_a"]) =>
  some.map(([lo, hi]) => (lo === hi ? byte(lo) : `${byte(lo)}–${byte(hi)}`)).join("  ") || "–";

function Found({ found }: { found: Shortest }) {
  if (found.verdict === "refused") return <Notice level="warning">The search could not ask both: {found.why}</Notice>;
  if (found.verdict === "equal")
    return (
      <p>
        <Glyph shape="yes" /> <b>They are equal.</b>{" "}
        <span class="dim">
          All {plural(found.n_pairs, "pair")} of states that texts lead to allow the same: a proof, for texts of any
          length.
        </span>
      </p>
    );
  if (found.verdict === "none")
    return (
      <p>
        <Glyph shape="hint" /> <b>No disagreement in texts of up to {plural(found.n_bytes, "byte")}.</b>{" "}
        <span class="dim">
          {plural(found.n_pairs, "pair")} of states, {int(found.n_waiting)} waiting; no proof that they are equal:{" "}
          {found.why}.
        </span>
      </p>
    );
  return (
    <>
      <p>
        <Glyph shape="no" /> <b>They part</b> {found.text ? "after " : "at the first byte"}
        {found.text && <code>{visible(found.shown)}</code>}
        <span class="dim">
          {found.text && `, at byte ${found.n_bytes}`}: no shorter text does, {plural(found.n_pairs, "pair")} of states
          before it.
        </span>
      </p>
      <Table
        heads={["(side)", "bytes that it alone allows", "may end", "why the other side blocks them"]}
        label="Where they part"
        cls="shortest"
      >
        {(["a", "b"] as const).map((side) => (
          <tr key={side} data-side={side}>
            <th scope="row">{side.toUpperCase()}</th>
            <td class="mono">{ranges(found[`only_${side}`])}</td>
            <td>{found[`ends_${side}`] ? "yes" : "no"}</td>
            <td class="s dim">{found[`reason_${side}`]}</td>
          </tr>
        ))}
      </Table>
      {found.tokens.length > 0 && found.only_a.length + found.only_b.length === 0 && found.ends_a === found.ends_b && (
        <p class="s dim">The bytes agree, masks do not: tokens {found.tokens.join(", ")} are in one alone.</p>
      )}
    </>
  );
}

interface ShortestProps {
  report: CompareReport;
  live: boolean;
  search: () => void;
  stop: () => void;
}
export function ShortestPart({ report, live, search, stop }: ShortestProps) {
  const found = report.shortest;
  const running = found?.is_running;
  if (!found && !live) return null;
  return (
    <section
      class="compare-shortest"
      aria-label="The shortest disagreement"
      data-shortest={running ? "running" : (found?.verdict ?? "")}
    >
      <div class="compare-under">
        <span class="xs faint">over all texts</span>
        {live && !running && (
          <button type="button" onClick={search} disabled={report.is_running}>
            {found ? "search again" : "shortest disagreement"}
          </button>
        )}
        {running && (
          <>
            <span class="s dim" role="status">
              {plural(found.n_pairs, "pair")} of states, none up to {plural(found.n_bytes, "byte")}
            </span>
            <button type="button" onClick={stop}>
              stop<kbd>esc</kbd>
            </button>
          </>
        )}
      </div>
      {found && !running && <Found found={found} />}
    </section>
  );
}
