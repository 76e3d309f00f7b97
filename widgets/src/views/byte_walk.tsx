// A token byte by byte: the states that stand before it, each byte, what survived it, and the byte it died at.
import { Glyph } from "../parts/glyphs";
import type { Store } from "../store";
import { byteText, hex } from "../text";
import { fromHex, innermost, stateName } from "../trace";
import type { Explanation, Item, Program, Step } from "../wire";

const DRAWN = 20;

function Node({
  store,
  program,
  items,
  live,
}: {
  store: Store;
  program: Program;
  items: readonly Item[];
  live?: boolean;
}) {
  const item = innermost(program, items);
  if (!item) return null;
  const selected = store.selection.value.state === item.state;
  return (
    <button
      type="button"
      class={`walk-node ${live ? "live" : ""} ${selected ? "is-selected" : ""}`}
      title={items.map((i) => `${stateName(program, i.state)} from byte ${i.origin}`).join("\n")}
      onClick={() =>
        store.select({
          state: item.state,
          rule: item.rule,
          mask_entry: program.states[item.state]?.scannable ? item.state : null,
        })
      }
    >
      <i />
      <span class="mono">{stateName(program, item.state)}</span>
      <span class="faint">{items.length === 1 ? "1 item" : `${items.length} items`}</span>
    </button>
  );
}

interface WalkProps {
  store: Store;
  program: Program;
  step: Step;
  explanation: Explanation;
}
export function ByteWalk({ store, program, step, explanation }: WalkProps) {
  const bytes = fromHex(explanation.bytes);
  const { walk, died_at: died } = explanation;
  if (walk.length === 0) return null;
  // long texts keep their end, where the decision falls
  const until = Math.min(bytes.length, (died ?? walk.length - 1) + 3);
  const from = Math.max(0, until - DRAWN);
  const pick = (k: number) => store.select({ byte: step.byte_begin + k });
  return (
    <div
      class="walk"
      role="img"
      aria-label={`Byte walk of ${bytes.length} bytes${died === null ? ", all alive" : `, dead at byte ${died}`}`}
    >
      {from > 0 ? (
        <span class="walk-fold faint xs">{from} bytes alive</span>
      ) : (
        <Node store={store} program={program} items={step.live} live />
      )}
      {bytes.slice(from, until).map((byte, n) => {
        const k = from + n;
        const state = died === k ? "dead" : died !== null && k > died ? "after" : "ok";
        const here = step.byte_begin + k;
        return (
          <span key={k} class={`walk-step ${state}`}>
            <button
              type="button"
              class={`walk-byte ${store.selection.value.byte === here || (store.selection.value.byte === null && state === "dead") ? "is-selected" : ""}`}
              onClick={() => pick(k)}
              title={`byte ${here}, ${hex(byte)}`}
            >
              <span class="cell">
                <b class="mono">{byteText(byte)}</b>
                <span class="mono faint">{hex(byte)}</span>
              </span>
              <span class="faint">byte {here}</span>
              <span class={state === "dead" ? "bad strong" : "faint"}>
                {state === "dead" ? "no edge" : state === "after" ? "not reached" : " "}
              </span>
            </button>
            {state === "dead" && (
              <span class="cross">
                <Glyph shape="no" size={13} />
              </span>
            )}
            {state === "ok" && (k === bytes.length - 1 || k + 1 === died || bytes.length <= 6) && (
              <Node store={store} program={program} items={walk[k]?.items ?? []} live={k === bytes.length - 1} />
            )}
          </span>
        );
      })}
      {until < bytes.length && <span class="walk-fold faint xs">{bytes.length - until} more not reached</span>}
    </div>
  );
}
