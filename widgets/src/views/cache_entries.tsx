// The mask entries of one step: how each is stored, what it decided, and which grammar's walk it rests on. A state leads to its FSM.

import { donorOf } from "../layout/cache";
import { Glyph } from "../parts/glyphs";
import { Table } from "../parts/table";
import type { Store } from "../store";
import { bytes, int, micros } from "../text";
import { stateName } from "../trace";
import type { MaskEntry, Trace } from "../wire";
import { choose } from "./fsm_table";

interface EntryRow {
  store: Store;
  trace: Trace;
  entry: MaskEntry;
  own: number | null;
}

const origin = (entry: MaskEntry): string =>
  entry.cache === undefined || entry.cache === "miss" ? "built here" : entry.cache.replace("_", " ");

function StateLink({ store, trace, entry }: EntryRow) {
  const state = trace.program.states[entry.state];
  const name = stateName(trace.program, entry.state);
  return (
    <>
      <button
        type="button"
        class="link mono"
        aria-pressed={store.selection.value.mask_entry === entry.state}
        data-entry={entry.state}
        onClick={() => state && choose(store, state)}
      >
        {name}
      </button>
      {entry.counts && <span class="faint"> {entry.counts}</span>}
    </>
  );
}

const Donor = ({ entry, own }: { entry: MaskEntry; own: number | null }) => {
  const donor = donorOf(entry, own);
  return donor === null ? <span class="faint">–</span> : <span data-donor={entry.donor}>{donor}</span>;
};

function WideRow(row: EntryRow) {
  const { entry, own } = row;
  return (
    <>
      <th scope="row">
        <StateLink {...row} />
      </th>
      <td>
        <Glyph shape={entry.cache ?? "miss"} /> {origin(entry)}
      </td>
      <td>{entry.storage.replace("_", " ")}</td>
      <td class="num">{int(entry.n_accepted)}</td>
      <td class="num">{int(entry.n_rejected)}</td>
      <td class="num">{int(entry.n_uncertain)}</td>
      <td class="num">{int(entry.hits)}</td>
      <td class="num">{bytes(entry.size_bytes)}</td>
      <td class="num">{micros(entry.build_us)}</td>
      <td class="mono clip donor" title={entry.donor_name}>
        <Donor entry={entry} own={own} />
      </td>
    </>
  );
}

function NarrowRow(row: EntryRow) {
  const { entry, own } = row;
  return (
    <>
      <th scope="row">
        <StateLink {...row} />
      </th>
      <td class="facts">
        <Glyph shape={entry.cache ?? "miss"} /> {origin(entry)} in {micros(entry.build_us)}
        {donorOf(entry, own) !== null && (
          <>
            {" "}
            from <Donor entry={entry} own={own} />
          </>
        )}
        <br />
        <span class="dim">
          {entry.storage.replace("_", " ")}, {bytes(entry.size_bytes)}, {int(entry.hits)} hits; {int(entry.n_accepted)}{" "}
          accepted, {int(entry.n_rejected)} rejected, {int(entry.n_uncertain)} uncertain
        </span>
      </td>
    </>
  );
}

const WIDE = "state,came by,storage,#accepted,#rejected,#uncertain,#hits,#size,#built in,donor".split(",");

export function EntryTable(props: {
  store: Store;
  trace: Trace;
  entries: MaskEntry[];
  own: number | null;
  wide: boolean;
}) {
  const { store, trace, entries, own, wide } = props;
  const Row = wide ? WideRow : NarrowRow;
  const selected = store.selection.value.mask_entry ?? store.selection.value.state;
  return (
    <Table
      box="cache-entries"
      cls={wide ? "" : "narrow"}
      label="Mask entries of the step"
      heads={wide ? WIDE : ["state", "entry"]}
    >
      {entries.map((entry) => (
        <tr key={`${entry.state} ${entry.counts ?? ""}`} class={selected === entry.state ? "is-selected" : ""}>
          <Row store={store} trace={trace} entry={entry} own={own} />
        </tr>
      ))}
    </Table>
  );
}
