// DistView: what the model wanted, what the mask left of it, and who took the rest.
//
// Reader sees  the unit of probability cut by provenance, the most wanted tokens with p and q, the lost mass by the rule that refused
//              it, Z over the run. Python -> browser: the trace, the step's bytes, the lost mass by rule. Browser -> Python: the selected
//              token, a forced one. The sliders stay in the page.
import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { notRecorded } from "../../answers";
import { Empty, Notice, Panel, Token, useWidth } from "../../parts/small";
import { useMasks } from "../../parts/watched";
import type { Store } from "../../store";
import { int, plural, prob } from "../../text";
import type { PanelProps } from "../../view";
import type { Step, Trace } from "../../wire";
import { useLost } from "./answers";
import { MassBar } from "./bar";
import { lowestZ, type Sampler, type WhatIf, weigh, whatIf } from "./layout/dist";
import { DistRanks } from "./ranks";
import { DistRows, type Order, OrderSeg, rowsOf } from "./rows";
import { LostTable, RunOfZ, StepFacts } from "./side";
import { Sliders } from "./sliders";

const WIDE = 900;
/** the width of a list whose bars are as wide as their legend */
const LEGEND_BESIDE = 600;
const DANGER = 0.1;

/** The sampler that the step was decided with, as far as the trace says it. */
function samplerOf(trace: Trace, step: Step): Sampler {
  const { temperature, top_k, top_p } = trace.header.sampling ?? { temperature: 1, top_k: 0, top_p: 1 };
  return { temperature: step.temperature ?? temperature, top_k, top_p };
}
const alike = (a: Sampler, b: Sampler): boolean =>
  a.temperature === b.temperature && a.top_k === b.top_k && a.top_p === b.top_p;

/** What a sampler would do here, in a sentence. */
function Sentence({ step, now, sampler }: { step: Step; now: WhatIf; sampler: Sampler }) {
  const [best, q] = [...now.q].reduce((top, one) => (one[1] > top[1] ? one : top), [-1, 0]);
  const text = step.top.find(([id]) => id === best)?.[1];
  return (
    <p class="s dim would" data-kept={now.kept}>
      A sampler {sampler.temperature === 0 ? "takes" : `draws from ${plural(now.kept, "token")}`}
      {text !== undefined && (
        <>
          {sampler.temperature === 0 ? " " : ", most often "}
          <Token text={text} /> ({prob(q)})
        </>
      )}
      .{now.unseen > 0.005 && ` Up to ${(now.unseen * 100).toFixed(0)} % of p is in tokens too rare to be recorded.`}
    </p>
  );
}

/** Below 0.1 the model and the grammar disagree: what was wanted, and who refused it. */
function Danger({ store, step }: { store: Store; step: Step }) {
  const [id, text, p] = step.top[0] ?? [0, "", null];
  const why = step.explain[id];
  if (step.z === null || step.z >= DANGER || !why || why.allowed || p === null) return null;
  return (
    <Notice level="warning">
      The model wanted <Token text={text} /> (p {prob(p)}). {why.reason}{" "}
      <button type="button" class="link" onClick={() => store.select({ token: id })}>
        why
      </button>
    </Notice>
  );
}

interface BodyProps {
  store: Store;
  trace: Trace;
  step: Step;
  width: number;
  sampler: Signal<Sampler | null>;
  order: Signal<Order>;
  n: number;
  /** what the sliders say of this step, null where its bytes are not known */
  now: WhatIf | null;
  /** whether they were moved */
  changed: boolean;
}
function Body({ store, trace, step, width, sampler, order, n, now, changed }: BodyProps) {
  const recorded = samplerOf(trace, step);
  const chosen = sampler.value ?? recorded;
  const bulk = store.link.bulk.value.get(step.index);
  const rows = rowsOf(step, order.value, n, changed ? now : null);
  const lost = useLost(store, step);
  const wide = width >= WIDE;
  const left = wide ? Math.floor(width * 0.6) - 16 : width;
  const z = changed && now ? now.z : step.z;
  const known = changed ? now?.mass : (bulk?.mass ?? now?.mass);
  // without the step's bytes, the bar has one class on each side
  const mass = known ?? [1 - (z ?? 1), z ?? 1, 0, 0, 0, 0, 0, 0];
  const shown = changed && now ? { ...step, kl: now.z > 0 ? -Math.log(now.z) : null } : step;
  const lowest = lowestZ(trace.steps);
  const side = (
    <div class="dist-side">
      <h3 class="xs faint">lost mass by rule</h3>
      {lost ? <LostTable store={store} lost={lost} /> : <p class="dim s">Not known here.</p>}
      <h3 class="xs faint">Z over the run, log scale</h3>
      <RunOfZ store={store} trace={trace} width={wide ? width - left - 33 : width} lowest={lowest} />
      {wide && (
        <>
          <h3 class="xs faint">this step</h3>
          <StepFacts step={shown} now={now} size={trace.header.vocab_size} />
        </>
      )}
    </div>
  );
  return (
    <div class={wide ? "dist-grid wide" : "dist-grid"}>
      <div>
        {z !== null && <MassBar mass={mass} z={z} width={left} />}
        {order.value === "all" ? (
          <DistRanks step={step} bulk={bulk} was={recorded.temperature} sampler={chosen} width={left} height={24 * n} />
        ) : (
          <DistRows store={store} step={step} rows={rows} n={n} wide={left > LEGEND_BESIDE} />
        )}
        <Sliders sampler={sampler} now={chosen} off={!now} />
        {now ? (
          <Sentence step={step} now={now} sampler={chosen} />
        ) : (
          <p class="s faint would">
            {store.link.line.value === "live"
              ? "The sliders wait for this step's probabilities."
              : notRecorded("The sliders' data").message}
          </p>
        )}
      </div>
      {side}
    </div>
  );
}

/** No model, or the output had left the grammar: what is there, and how to get the rest. */
function Nothing({ step }: { step: Step | null }) {
  if (step?.top.length && step.top[0]?.[2] === null)
    return (
      <>
        <ol class="ghost-rows" aria-hidden="true">
          {[46, 31, 12, 7, 3].map((w) => (
            <li key={w}>
              <i class="p" style={{ width: `${w}%` }} />
            </li>
          ))}
        </ol>
        <Empty title="No probabilities without a model">
          Grammar, chart and mask work alone. To see what a model would want, give the session one:{" "}
          <code>Session(grammar, model="tiny")</code>
        </Empty>
      </>
    );
  return <Empty title="No step yet">Waiting for the session's first step.</Empty>;
}

export function DistView({ store, nested }: PanelProps) {
  const [box, width] = useWidth();
  const sampler = useSignal<Sampler | null>(null);
  const order = useSignal<Order>("p");
  const trace = store.link.trace.value;
  const step = store.step.value;
  const lowest = useComputed(() => lowestZ(store.link.trace.value?.steps ?? []));
  useMasks(store, () => (store.step.value ? [store.step.value.index] : []));
  const goToLowest = () => {
    if (lowest.value !== null) store.goTo(lowest.value);
  };
  const keys = (event: KeyboardEvent) => {
    const target = event.composedPath()[0];
    const typing = target instanceof HTMLInputElement && target.type !== "range";
    if (event.key !== "z" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    goToLowest();
  };
  const recorded = trace && step ? samplerOf(trace, step) : null;
  const chosen = sampler.value ?? recorded;
  const bulk = step ? store.link.bulk.value.get(step.index) : undefined;
  const was = recorded?.temperature ?? 1;
  const weights = useMemo(() => (step ? weigh(step, bulk, was) : null), [step, bulk, was]);
  const now = useMemo(() => (weights && chosen ? whatIf(weights, chosen) : null), [weights, chosen]);
  const changed = chosen !== null && recorded !== null && !alike(chosen, recorded);
  const known = trace && step && (step.top[0]?.[2] ?? null) !== null;
  const wide = width >= WIDE;
  const readout = known && (
    <>
      step {step.index}
      {changed && now && `, Z ${prob(now.z)} with these sliders`}
      {step.z !== null && `, Z ${prob(step.z)}${changed ? " as recorded" : ""}`}
      {step.kl !== null && `, KL ${step.kl < 0.0005 ? prob(step.kl) : step.kl.toPrecision(3)} nats`}
      {step.z === null && ", no mask: the output had left the grammar"}
      {step.rank !== null && `; the chosen token was rank ${int(step.rank)} before the mask`}
    </>
  );
  const tools = (
    <>
      {changed && (
        <button
          type="button"
          title="The sampler as it is"
          onClick={() => {
            sampler.value = null;
          }}
        >
          reset
        </button>
      )}
      {known && width > 420 && (
        <OrderSeg
          order={order.value}
          pick={(next) => {
            order.value = next;
          }}
        />
      )}
      <button
        type="button"
        disabled={lowest.value === null}
        title="Go to the step of the lowest Z (z)"
        onClick={goToLowest}
      >
        lowest Z<kbd>z</kbd>
      </button>
    </>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key of the panel, wherever in it the focus is
    <div onKeyDown={keys}>
      <Panel readout={readout} tools={tools}>
        {known && <Danger store={store} step={step} />}
        <div class="body" ref={box}>
          {!known && <Nothing step={step} />}
          {known && width > 0 && (
            <Body
              store={store}
              trace={trace}
              step={step}
              width={width}
              sampler={sampler}
              order={order}
              now={now}
              changed={changed}
              n={wide || !nested ? 14 : 10}
            />
          )}
        </div>
      </Panel>
    </div>
  );
}
