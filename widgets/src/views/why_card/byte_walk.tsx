// A token byte by byte: the states that stand before it, each byte, what survived it, and the byte it died at.
//
// A click or the arrow keys step through the bytes: the byte is selected together with the state it led to, or, at the byte it died
// at, the state that had no edge for it. Chart, FSM and source follow.
import { useRef } from "preact/hooks";
import { useFocusNext } from "../../parts/focus_next";
import { Glyph } from "../../parts/glyphs";
import type { Store } from "../../store";
import { byteText, hex } from "../../text";
import { fromHex, stateName } from "../../trace";
import type { Explanation, Item, Step, Trace } from "../../wire";
import { placeIn, selectPlace } from "../chart_view/written";

const DRAWN = 20;

function Node({
  store,
  trace,
  items,
  inner,
  live,
}: {
  store: Store;
  trace: Trace;
  items: readonly Item[];
  inner: number | null | undefined;
  live?: boolean;
}) {
  const item = items[inner ?? -1];
  if (!item) return null;
  const { program } = trace;
  const selected = placeIn(store, trace).state === item.state;
  return (
    <button
      type="button"
      class={`walk-node ${live ? "live" : ""} ${selected ? "is-selected" : ""}`}
      title={items.map((i) => `${stateName(program, i.state)} from byte ${i.origin}`).join("\n")}
      onClick={() => selectPlace(store, trace, item.rule, item.state)}
    >
      <i />
      <span class="mono">{stateName(program, item.state)}</span>
      <span class="faint">{items.length === 1 ? "1 item" : `${items.length} items`}</span>
    </button>
  );
}

interface WalkProps {
  store: Store;
  trace: Trace;
  step: Step;
  explanation: Explanation;
}
export function ByteWalk({ store, trace, step, explanation }: WalkProps) {
  const box = useRef<HTMLDivElement>(null);
  const focusByte = useFocusNext(() => box.current?.querySelector<HTMLElement>(".walk-byte[tabindex='0']"));
  const bytes = fromHex(explanation.bytes);
  const { walk, died_at: died } = explanation;
  if (walk.length === 0) return null;
  const chosen = store.selection.value.byte === null ? null : store.selection.value.byte - step.byte_begin;
  const here = chosen !== null && chosen >= 0 && chosen < walk.length ? chosen : null;
  // long texts keep their end, where the decision falls, unless an earlier byte is looked at
  const end = Math.min(bytes.length, (died ?? walk.length - 1) + 3);
  const from = Math.max(0, Math.min(end - DRAWN, here === null ? end : here - 1));
  const until = Math.min(end, from + DRAWN);
  const pick = (k: number) => {
    const inner = walk[k]?.items[walk[k]?.inner ?? -1];
    const [state, rule] = (k === died ? explanation.missing?.[0] : inner && [inner.state, inner.rule]) ?? [null, null];
    const byte = step.byte_begin + k;
    if (state === null) store.select({ item: null, byte });
    else selectPlace(store, trace, rule, state, { byte });
  };
  const keys = (event: KeyboardEvent) => {
    const last = walk.length - 1;
    const at = here ?? last;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined || event.shiftKey || event.altKey) return;
    event.preventDefault();
    pick(Math.max(0, Math.min(last, to)));
    focusByte();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a box and a legend that a row of bytes has no use for
    <div
      class="walk"
      role="group"
      ref={box}
      onKeyDown={keys}
      aria-label={`Byte walk of ${bytes.length} bytes${died === null ? ", all alive" : `, dead at byte ${died}`}; arrow keys step`}
    >
      {from > 0 ? (
        <span class="walk-fold faint xs">{from} bytes alive</span>
      ) : (
        <Node store={store} trace={trace} items={step.live} inner={step.inner} live />
      )}
      {bytes.slice(from, until).map((byte, n) => {
        const k = from + n;
        const state = died === k ? "dead" : died !== null && k > died ? "after" : "ok";
        const at = step.byte_begin + k;
        const selected = here === null ? state === "dead" : here === k;
        return (
          <span key={k} class={`walk-step ${state}`}>
            <button
              type="button"
              class={`walk-byte ${selected ? "is-selected" : ""}`}
              tabIndex={k === (here ?? walk.length - 1) ? 0 : -1}
              data-byte={at}
              aria-pressed={selected}
              disabled={state === "after"}
              onClick={() => pick(k)}
              title={`byte ${at}, ${hex(byte)}`}
            >
              <span class="cell">
                <b class="mono">{byteText(byte)}</b>
                <span class="mono faint">{hex(byte)}</span>
              </span>
              <span class="faint">byte {at}</span>
              <span class={state === "dead" ? "bad strong" : "faint"}>
                {state === "dead" ? "no edge" : state === "after" ? "not reached" : " "}
              </span>
            </button>
            {state === "dead" && (
              <span class="cross">
                <Glyph shape="no" size={13} />
              </span>
            )}
            {state === "ok" && (k === bytes.length - 1 || k + 1 === died || k === here || bytes.length <= 6) && (
              <Node
                store={store}
                trace={trace}
                items={walk[k]?.items ?? []}
                inner={walk[k]?.inner}
                live={k === bytes.length - 1}
              />
            )}
          </span>
        );
      })}
      {until < bytes.length && (
        <span class="walk-fold faint xs">
          {bytes.length - until} more{until < walk.length ? "" : " not reached"}
        </span>
      )}
    </div>
  );
}
