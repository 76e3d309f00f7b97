// The mask held against another one: A is this step's, B the step's before, or another session's at the same byte.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { errorOf, notRecorded } from "../../answers";
import { type Bulk, bitOf, isAllowed, ONLY_A, ONLY_B, xorOf } from "../../bulk";
import { Seg, Toggle } from "../../parts/small";
import { bytesOf } from "../../rpc";
import type { Store } from "../../store";
import { int } from "../../text";
import type { BesideReply } from "../../wire";

/** What Python says of another session, and its mask. */
interface Beside extends Required<BesideReply> {
  row: Uint8Array | null;
}
const NOBODY: Beside = { sessions: [], session: "", says: "", row: null };

function useBeside(store: Store, step: number): Beside {
  const known = useSignal<Beside>(NOBODY);
  const session = store.xor.value ? store.beside.value : null;
  const { line, trace } = store.link;
  const [live, now] = [line.value === "live", trace.value];
  useEffect(() => {
    if (session === null) {
      if (live && known.peek().row) store.link.channel.call("beside").catch(() => undefined);
      known.value = NOBODY;
      return;
    }
    let isOver = false;
    const say = (says: string) => {
      if (!isOver) known.value = { ...known.peek(), says, row: null };
    };
    if (!live) say(notRecorded("Another session's mask").message);
    else
      store.link.channel.call("beside", { session, step }).then(
        ({ content, buffers }) => {
          const row = buffers[0] ? bytesOf(buffers[0]).slice() : null;
          if (!isOver) known.value = { ...NOBODY, ...content, row };
        },
        (error: unknown) => say(errorOf(error).message),
      );
    return () => {
      isOver = true;
    };
  }, [session, step, live, now, known, store]);
  return session === null ? NOBODY : known.value;
}

/** The picture of A and B, as soon as both are known, and what B is. */
export function useXor(store: Store, bulk: Bulk | null, step: number) {
  const beside = useBeside(store, step);
  const on = store.xor.value;
  const before = on && store.beside.value === null ? (store.link.bulk.value.get(step - 1) ?? null) : null;
  const { row } = beside;
  const xor = useMemo(() => {
    if (!on || !bulk || !(before || row)) return null;
    const a = (id: number) => isAllowed(bulk.provenance[id] as number);
    const b = row ? bitOf(row) : (id: number) => isAllowed(before?.provenance[id] as number);
    return xorOf(bulk.provenance.length, a, b, bulk.probability);
  }, [on, bulk, before, row]);
  const says = beside.says || (before ? `step ${step - 1}` : "");
  return { xor, beside, says };
}

interface ModesProps {
  store: Store;
  beside: Beside;
  twoColours: Signal<boolean>;
}
/** What is shown: the mask, or it held against another; of several sessions, which. The mask by classes, or in two colours. */
export const Modes = ({ store, beside, twoColours }: ModesProps) => (
  <>
    {!store.xor.value && (
      <Toggle on={twoColours} letter="c" title="Two colours: allowed or blocked">
        two colours
      </Toggle>
    )}
    {beside.sessions.length > 0 && (
      <select
        class="field"
        aria-label="The other session, B"
        value={beside.session}
        onChange={(event) => {
          store.beside.value = event.currentTarget.value;
        }}
      >
        {beside.sessions.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    )}
    <Seg
      label="What the picture shows"
      options={[
        ["mask", "mask"],
        ["previous", "xor previous"],
        ["session", "xor session"],
      ]}
      on={!store.xor.value ? "mask" : store.beside.value === null ? "previous" : "session"}
      pick={(mode) => store.holdAgainst(mode)}
    />
  </>
);

export const XorReadout = ({ xor, says, step }: { xor: Bulk | null; says: string; step: number }) => (
  <>
    {xor && (
      <>
        <b class="ink">{int(xor.counts[ONLY_A] ?? 0)}</b> only in A, <b class="ink">{int(xor.counts[ONLY_B] ?? 0)}</b>{" "}
        only in B.{" "}
      </>
    )}
    A: step {step}. B: {says || "nothing to compare with"}
  </>
);
