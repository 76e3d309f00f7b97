// The mask entries of one step: how each is stored, what it decided, and which grammar's walk it rests on. A state leads to its FSM.

import { Glyph } from "../../parts/glyphs";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { bytes, int, micros } from "../../text";
import { stateName } from "../../trace";
import type { MaskEntry, Trace } from "../../wire";
import { choose } from "../fsm_view/table";
import { donorOf, UNSHARED } from "./layout";

interface EntryRow {
  store: Store;
  /** open the grammar that an entry was taken over from, beside this one */
  open: (entry: MaskEntry) => void;
  trace: Trace;
  entry: MaskEntry;
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
        class="link mono name"
        aria-pressed={store.selection.value.mask_entry === entry.state}
        data-entry={entry.state}
        onClick={() => state && choose(store, state)}
      >
        {name}
      </button>
      {entry.counts && <span class="faint"> count {entry.counts}</span>}
    </>
  );
}

/** Why other grammars can't take it over, if they can't. */
const unsharedText = (entry: MaskEntry): string => (entry.unshared ? (UNSHARED[entry.unshared] ?? "") : "");

const Donor = ({ entry, open }: EntryRow) => {
  const donor = donorOf(entry);
  if (donor === null)
    return entry.unshared ? (
      <span class="faint" data-unshared={entry.unshared}>
        not shared: {unsharedText(entry)}
      </span>
    ) : (
      <span class="faint">{entry.unshared === null ? "kept for others" : "–"}</span>
    );
  const { maker } = entry;
  return maker === "own" || maker === "template" ? ( // a template is no grammar to open
    <span data-donor={entry.donor}>{maker === "own" ? donor : "its template"}</span>
  ) : (
    <button
      type="button"
      class="link mono name"
      data-donor={entry.donor}
      title="Open the donor's grammar beside this one"
      onClick={() => open(entry)}
    >
      {donor}
    </button>
  );
};

function WideRow(row: EntryRow) {
  const { entry } = row;
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
      <td class="donor">
        <Donor {...row} />
      </td>
    </>
  );
}

function NarrowRow(row: EntryRow) {
  const { entry } = row;
  return (
    <>
      <th scope="row">
        <StateLink {...row} />
      </th>
      <td class="facts">
        <Glyph shape={entry.cache ?? "miss"} /> {origin(entry)} in {micros(entry.build_us)}
        {donorOf(entry) !== null && (
          <>
            {" "}
            from <Donor {...row} />
          </>
        )}
        {entry.unshared && (
          <>
            , <Donor {...row} />
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

const WIDE = "state,came by,storage,#accepted,#rejected,#uncertain,#hits,#size,#built in,taken from".split(",");

export function EntryTable(props: {
  store: Store;
  trace: Trace;
  entries: MaskEntry[];
  wide: boolean;
  open: (entry: MaskEntry) => void;
}) {
  const { store, trace, entries, wide, open } = props;
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
          <Row store={store} trace={trace} entry={entry} open={open} />
        </tr>
      ))}
    </Table>
  );
}
