// The masks of A and B at one step in one picture: the whole vocabulary, or the 256 bytes, by who allows each.
//
// What a report carries is drawn without a kernel; of a step that found no room there, a kernel is asked.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { notRecorded } from "../../answers";
import { bitOf, ONLY_A, ONLY_B } from "../../bulk";
import { bytesOf } from "../../rpc";
import type { Store } from "../../store";
import { hex, int, plural } from "../../text";
import { Vocabulary } from "../../vocabulary";
import type { CompareReport } from "../../wire";
import { BrushList } from "../mask_lens/brush";
import { MaskCanvas } from "../mask_lens/canvas";
import type { Brush } from "../mask_lens/layout/brush";
import { gridFor } from "../mask_lens/layout/mask";
import { Legend } from "../mask_lens/legend";
import { masksOf, pictureOf, type Rows } from "./layout/masks";

const BYTES = new Vocabulary(
  Uint8Array.from({ length: 256 }, (_, k) => k),
  Uint32Array.from({ length: 257 }, (_, k) => k),
  Uint32Array.from({ length: 256 }, (_, k) => k),
);
const END = 256;

/** Both rows of a step: those that came with the report, or the kernel's. */
function useRows(store: Store, report: CompareReport, step: number): Rows | "asking" | "unknown" {
  const carried = useSignal<ReadonlyMap<number, Rows> | null>(null);
  const asked = useSignal<ReadonlyMap<number, Rows>>(new Map());
  const { masks } = report;
  const live = store.canCommand.value;
  const about = JSON.stringify([report.changed, report.is_other_grammar, report.texts.length, report.seconds]);
  useEffect(() => {
    let isOver = false;
    asked.value = new Map();
    carried.value = null;
    masksOf(masks).then((found) => {
      if (!isOver) carried.value = found;
    });
    return () => {
      isOver = true;
    };
  }, [masks, about, carried, asked]);
  const known = carried.value?.get(step) ?? asked.value.get(step);
  const wants = live && carried.value !== null && !known && step < report.n_done;
  useEffect(() => {
    if (!wants) return;
    const of = asked.peek();
    store.link.channel.call("compare_mask", { step }).then(
      ({ buffers }) => {
        const [a, xor] = buffers.map((part) => bytesOf(part).slice()) as [Uint8Array, Uint8Array];
        if (asked.peek() === of) asked.value = new Map([...[...of].slice(-8), [step, { a, xor }]]);
      },
      () => undefined,
    );
  }, [wants, step, asked, store]);
  return known ?? (wants || carried.value === null ? "asking" : "unknown");
}

interface MaskProps {
  store: Store;
  report: CompareReport;
  step: number;
  /** pixels that the picture may have */
  room: number;
  solo: Signal<number | null>;
}
export function ComparedMask({ store, report, step, room, solo }: MaskProps) {
  const rows = useRows(store, report, step);
  const brush = useSignal<Brush | null>(null);
  const inBytes = report.unit === "byte";
  const vocabulary = inBytes ? BYTES : store.link.vocabulary.value;
  const probability = inBytes ? undefined : store.link.bulk.value.get(step)?.probability;
  const bulk = useMemo(
    () => (typeof rows === "string" || !vocabulary ? null : pictureOf(rows, vocabulary.size, probability)),
    [rows, vocabulary, probability],
  );
  // of bytes: the token of A that they are in, what of it was read before, and then the byte
  const within = store.link.trace.value?.steps.findLast((one) => one.byte_begin <= step);
  const read = within ? within.bytes.slice(0, 2 * (step - within.byte_begin)) : "";
  const typed = store.typed.value;
  const chosen = inBytes
    ? typed && "bytes" in typed && typed.bytes.length === read.length + 2
      ? Number.parseInt(typed.bytes.slice(-2), 16)
      : null
    : store.selection.value.token;
  const pick = (id: number) => {
    if (!inBytes) return store.select({ step, token: id });
    store.goTo(within?.index ?? 0);
    store.typed.value = { bytes: read + hex(id) };
  };
  if (!bulk || !vocabulary || typeof rows === "string") {
    const why = vocabulary ? (rows === "unknown" ? notRecorded("The masks of this step").message : "") : WITHOUT;
    return (
      <p class="s dim" data-no-masks>
        {why && store.link.line.value !== "live" ? why : "Loading the masks of this step."}
      </p>
    );
  }
  const size = inBytes ? 256 : Math.max(128, Math.min(room, 512) & ~127);
  const ends = [bitOf(rows.a)(END), bitOf(rows.a)(END) !== (rows.xor ? bitOf(rows.xor)(END) : false)];
  const n = (bulk.counts[ONLY_A] ?? 0) + (bulk.counts[ONLY_B] ?? 0);
  return (
    <>
      <h3 class="xs faint" data-xor={n}>
        both masks at step {step}: {n === 0 ? "they agree" : `${plural(n, report.unit)} of one alone`}
      </h3>
      <MaskCanvas
        store={store}
        vocabulary={vocabulary}
        bulk={bulk}
        solo={solo.value}
        selected={chosen}
        pick={pick}
        width={size}
        height={size}
        stale={false}
        brush={brush}
        hits={[]}
        twoColours={false}
      />
      <Legend solo={solo} bulk={bulk} />
      {inBytes && (
        <p class="s dim" data-ends>
          The text may end here: A {ends[0] ? "yes" : "no"}, B {ends[1] ? "yes" : "no"}.
        </p>
      )}
      {brush.value && !inBytes && (
        <BrushList
          store={store}
          vocabulary={vocabulary}
          bulk={bulk}
          grid={gridFor(vocabulary.size, size)}
          brush={brush}
          on={brush.value}
        />
      )}
    </>
  );
}
const WITHOUT = `The picture takes the vocabulary, and a notebook keeps none of more than ${int(8192)} tokens: choose a kernel and run the cell.`;
