// Tables of the cost view: rules and steps, sorted by the column whose head is clicked; a row lights grammar and tape.
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Glyph } from "../../parts/glyphs";
import { Token } from "../../parts/small";
import type { Store } from "../../store";
import { int, micros } from "../../text";
import { NOTHING_SELECTED } from "../../trace";
import type { Costs, RuleCost } from "../../wire";
import { type StepCost, sorted } from "./layout";

interface Sort<T> {
  by: keyof T;
  isReversed: boolean;
}
interface Column<T> {
  by: keyof T;
  head: string;
  num?: boolean;
  /** goes first when it is narrow */
  second?: boolean;
}

const percent = (us: number, all: number): string => {
  const share = all > 0 ? (100 * us) / all : 0;
  return `${share > 0 && share < 1 ? "<1" : share.toFixed(0)} %`;
};

function Heads<T>({ columns, sort }: { columns: readonly Column<T>[]; sort: Signal<Sort<T>> }) {
  const turn = (by: keyof T) => {
    sort.value = { by, isReversed: sort.value.by === by && !sort.value.isReversed };
  };
  return (
    <thead>
      <tr>
        {columns.map(({ by, head, num, second }) => {
          const on = sort.value.by === by;
          const isUp = on && sort.value.isReversed !== !num;
          return (
            <th
              key={head}
              scope="col"
              class={`${num ? "num" : ""} ${second ? "second" : ""}`}
              aria-sort={on ? (isUp ? "ascending" : "descending") : "none"}
            >
              <button type="button" class="sort" title={`Sort by ${head}`} onClick={() => turn(by)}>
                {head}
                <span aria-hidden="true">{on ? (isUp ? " ↑" : " ↓") : ""}</span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

const Box = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
  <section class="scroll" tabIndex={0} aria-label={label}>
    <table class="table cost-rows">{children}</table>
  </section>
);

const RULES: readonly Column<RuleCost>[] = [
  { by: "name", head: "rule" },
  { by: "line", head: "line", num: true, second: true },
  { by: "us", head: "total", num: true },
  { by: "n_fills", head: "fills", num: true },
  { by: "n_misses", head: "misses", num: true, second: true },
  { by: "median_us", head: "median", num: true },
];

export function RuleRows({ store, costs }: { store: Store; costs: Costs }) {
  const sort = useSignal<Sort<RuleCost>>({ by: "us", isReversed: false });
  const selected = store.selection.value.rule;
  const most = Math.max(1e-9, ...costs.rules.map((rule) => rule.us));
  const pick = (rule: RuleCost) => store.select({ ...NOTHING_SELECTED, step: rule.costliest, rule: rule.rule });
  return (
    <Box label="Mask time by rule">
      <Heads
        columns={[...RULES, { by: "us", head: "share", num: true }].slice(0, 6) as Column<RuleCost>[]}
        sort={sort}
      />
      <tbody>
        {sorted(costs.rules, sort.value.by, sort.value.isReversed).map((rule) => (
          <tr
            key={rule.rule}
            class={selected !== null && selected === rule.rule ? "is-selected" : ""}
            data-rule={rule.name}
            onClick={() => pick(rule)}
          >
            <th scope="row">
              <button
                type="button"
                class="link mono s"
                title={`${rule.name}: its line, and step ${rule.costliest}, its costliest`}
                onClick={(event) => {
                  event.stopPropagation();
                  pick(rule);
                }}
              >
                {rule.name}
              </button>
            </th>
            <td class="num faint second">{rule.line ?? "–"}</td>
            <td class="num bar-cell">
              <i class="cost" style={{ width: `${(100 * rule.us) / most}%` }} />
              <span>{micros(rule.us)}</span>
              <span class="share faint">{percent(rule.us, costs.mask_us)}</span>
            </td>
            <td class="num">{int(rule.n_fills)}</td>
            <td class="num second">{int(rule.n_misses)}</td>
            <td class="num">{micros(rule.median_us)}</td>
          </tr>
        ))}
      </tbody>
    </Box>
  );
}

const STEPS: readonly Column<StepCost>[] = [
  { by: "step", head: "step", num: true },
  { by: "text", head: "token" },
  { by: "us", head: "mask", num: true },
  { by: "cache", head: "cache" },
  { by: "n_states", head: "states", num: true, second: true },
  { by: "n_built", head: "built", num: true, second: true },
  { by: "n_adapted", head: "adapted", num: true, second: true },
  { by: "n_checked", head: "checked", num: true, second: true },
  { by: "model_ms", head: "model", num: true, second: true },
  { by: "wait_us", head: "waited", num: true, second: true },
];

interface StepRowsProps {
  store: Store;
  costs: Costs;
  steps: readonly StepCost[];
  cursor: number;
}
export function StepRows({ store, costs, steps, cursor }: StepRowsProps) {
  const sort = useSignal<Sort<StepCost>>({ by: "us", isReversed: false });
  const most = Math.max(1e-9, ...steps.map((step) => step.us));
  const pick = (step: StepCost) => store.select({ ...NOTHING_SELECTED, step: step.step, rule: step.rule });
  return (
    <Box label="Mask time by step">
      <Heads columns={STEPS} sort={sort} />
      <tbody>
        {sorted(steps, sort.value.by, sort.value.isReversed).map((step) => (
          <tr
            key={step.step}
            class={step.step === cursor ? "is-selected" : ""}
            data-step={step.step}
            onClick={() => pick(step)}
          >
            <th scope="row" class="num">
              <button
                type="button"
                class="link"
                title={`Go to step ${step.step}`}
                onClick={(event) => {
                  event.stopPropagation();
                  pick(step);
                }}
              >
                {step.step}
              </button>
            </th>
            <td>{step.text ? <Token text={step.text} /> : <span class="faint">pending</span>}</td>
            <td class="num bar-cell">
              <i class="cost" style={{ width: `${(100 * step.us) / most}%` }} />
              <span>{micros(step.us)}</span>
              <span class="share faint">{percent(step.us, costs.mask_us)}</span>
            </td>
            <td>
              {step.cache && <Glyph shape={step.cache} size={10} />} {(step.cache ?? "–").replace("_", " ")}
            </td>
            <td class="num second">{int(step.n_states)}</td>
            <td class="num second">{int(step.n_built)}</td>
            <td class="num second">{int(step.n_adapted)}</td>
            <td class="num second">{int(step.n_checked)}</td>
            <td class="num second">{step.model_ms === null ? "–" : micros(step.model_ms * 1000)}</td>
            <td class="num second">{step.wait_us === null ? "–" : micros(step.wait_us)}</td>
          </tr>
        ))}
      </tbody>
    </Box>
  );
}
