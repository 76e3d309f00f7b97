// The masks of A and B, two sides or two engines, at one step in one picture: the whole vocabulary, or the 256 bytes, by who allows each.
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
import { type Kept, masksOf, pairOf, pictureOf, type Rows } from "./layout/masks";

const BYTES = new Vocabulary(
  Uint8Array.from({ length: 256 }, (_, k) => k),
  Uint32Array.from({ length: 257 }, (_, k) => k),
  Uint32Array.from({ length: 256 }, (_, k) => k),
);
const END = 256;

/** What is drawn of a comparison: its masks, and what else tells one comparison from another. */
export interface Held {
  masks: string;
  about: string;
  unit: "token" | "byte";
  /** of engines: the places of the two that are held against each other */
  pair?: readonly [number, number];
}
/** A comparison of two sides. */
export const heldOf = ({ changed, is_other_grammar, texts, seconds, masks, unit }: CompareReport): Held => ({
  masks,
  unit,
  about: JSON.stringify([changed, is_other_grammar, texts.length, seconds]),
});

/** Both rows of a step: those that came with the report, or the kernel's. `has`: whether there are any. */
export function useRows(store: Store, held: Held, step: number, has: boolean): Rows | "asking" | "unknown" {
  const carried = useSignal<ReadonlyMap<number, Kept> | null>(null);
  const asked = useSignal<ReadonlyMap<string, Rows>>(new Map());
  const { masks, about, pair = FIRST } = held;
  const [a, b] = pair;
  const live = store.canCommand.value;
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
  const kept = carried.value?.get(step);
  const own = useMemo(() => kept && pairOf(kept, a, b), [kept, a, b]);
  const key = `${step} ${a} ${b}`;
  const known = own ?? asked.value.get(key);
  const wants = live && has && carried.value !== null && !known;
  useEffect(() => {
    if (!wants) return;
    const of = asked.peek();
    store.link.channel.call("compare_mask", { step, pair: [a, b] }).then(
      ({ buffers }) => {
        const [row, xor] = buffers.map((part) => bytesOf(part).slice()) as [Uint8Array, Uint8Array];
        if (asked.peek() === of) asked.value = new Map([...[...of].slice(-8), [key, { a: row, xor }]]);
      },
      () => undefined,
    );
  }, [wants, step, a, b, key, asked, store]);
  return known ?? (wants || carried.value === null ? "asking" : "unknown");
}
const FIRST: readonly [number, number] = [0, 1];

interface MaskProps {
  store: Store;
  held: Held;
  rows: Rows | "asking" | "unknown";
  step: number;
  /** pixels that the picture may have */
  room: number;
  solo: Signal<number | null>;
}
export function ComparedMask({ store, held, rows, step, room, solo }: MaskProps) {
  const brush = useSignal<Brush | null>(null);
  const inBytes = held.unit === "byte";
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
        both masks at step {step}: {n === 0 ? "they agree" : `${plural(n, held.unit)} of one alone`}
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
