// CostTable: where compile time and mask time went, and what of it was waited for.
//
// Reader sees  the compiler's passes one after the other; masks by rule and by step; rules down and steps across. A row lights its line in
//              the grammar and its step on the tape. Python -> browser: the trace. Browser -> Python: rule and step. All of it replays.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Empty, Panel, Seg, useWidth } from "../../parts/small";
import { useFigures } from "../../parts/watched";
import { int, micros, millis, plural } from "../../text";
import type { PanelProps } from "../../view";
import { nineTenths, stepCosts } from "./layout";
import { RuleRows, StepRows } from "./rows";
import { TemplateRows } from "./template";
import { MOST_LANES, RuleLanes, Waterfall } from "./waterfall";

const WIDE = 900;
const SHOWN = [
  ["rules", "rules"],
  ["steps", "steps"],
] as const;

export function CostTable({ store }: PanelProps) {
  const [box, width] = useWidth();
  const shown = useSignal<"rules" | "steps">("rules");
  const trace = store.link.trace.value;
  const costs = useFigures(store)?.costs ?? null;
  const steps = useMemo(() => stepCosts(trace?.steps ?? []), [trace]);
  const cursor = store.step.value?.index ?? 0;
  const template = trace?.header.template;
  const compile = (template ? null : costs?.passes_us) ?? trace?.header.compile_us ?? null;
  const model = costs?.model_ms ?? 0;
  const readout = costs && [
    ...(compile === null ? [] : [`${template ? "instance" : "compile"} ${micros(compile)}`]),
    `masks ${micros(costs.mask_us)} in ${plural(costs.n_fills, "fill")}${costs.wait_us === null ? "" : `, ${micros(costs.wait_us)} waited for, calls included`}`,
    ...(model > 0 ? [`model ${millis(model)}${model < 1000 ? " ms" : ""}`] : []),
  ];
  const wide = width >= WIDE;
  const half = Math.floor(wide ? width / 2 : width) - 33;
  return (
    <Panel
      readout={readout?.join("; ")}
      tools={
        <Seg
          label="Mask time by"
          options={SHOWN}
          on={shown.value}
          pick={(one) => {
            shown.value = one;
          }}
        />
      }
    >
      <div ref={box}>
        {costs && trace && width > 0 && (
          <>
            <div class={wide ? "cost-grid wide" : "cost-grid"}>
              <div class="body">
                <h3 class="xs faint">{template ? "template and request" : "compile passes"}</h3>
                {template ? (
                  <TemplateRows facts={template} costs={costs} width={half} />
                ) : costs.passes ? (
                  <Waterfall passes={costs.passes} us={costs.passes_us ?? 0} width={half} />
                ) : (
                  <p class="dim s">
                    This grammar came compiled
                    {trace.header.compile_us === null ? "" : `, in ${micros(trace.header.compile_us)}`}: its passes were
                    not timed.
                  </p>
                )}
              </div>
              <div class="body">
                <h3 class="xs faint">mask time by {shown.value === "rules" ? "rule" : "step"}</h3>
                {steps.length === 0 ? (
                  <Empty title="No mask yet">Times appear after the first mask.</Empty>
                ) : shown.value === "rules" ? (
                  <RuleRows store={store} costs={costs} />
                ) : (
                  <StepRows store={store} costs={costs} steps={steps} cursor={cursor} />
                )}
              </div>
            </div>
            {steps.length > 0 && (
              <div class="body cost-lanes">
                <h3 class="xs faint">rule by step, log µs; red: miss, amber: partial hit</h3>
                <RuleLanes
                  store={store}
                  all={costs.rules}
                  steps={steps}
                  width={width - 32}
                  cursor={cursor}
                  n={trace.steps.length}
                />
                {costs.rules.length > MOST_LANES && (
                  <p class="xs faint">
                    {int(nineTenths(costs))} of {int(costs.rules.length)} rules take nine tenths of the time; the{" "}
                    {MOST_LANES} dearest have a lane
                  </p>
                )}
              </div>
            )}
          </>
        )}
      </div>
    </Panel>
  );
}
