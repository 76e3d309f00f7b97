// The output cut by operator, below the columns of the tape; and how much of it was written without a choice of the model.
//
// Reader sees  under each run of tokens the operator that took their first bytes. Python -> browser: the trace's operators. Browser ->
//              Python: step, rule and state of a segment.
import { useMemo } from "preact/hooks";
import { operatorsOf, segmentsOf, shareOf } from "../layout/operators";
import type { TapeWindow } from "../layout/tape";
import type { PanelProps } from "../panels";
import { int, plural } from "../text";
import { pick } from "./operator_pick";

export interface StripProps extends PanelProps {
  view: TapeWindow;
}
export function OperatorStrip({ store, view }: StripProps) {
  const trace = store.link.trace.value;
  const told = trace?.operators;
  const tree = told && "rows" in told ? told : null;
  const operators = useMemo(() => (tree ? operatorsOf(tree) : []), [tree]);
  const shown = trace?.steps.slice(view.from, view.to) ?? [];
  const share = useMemo(() => shareOf(trace?.steps ?? []), [trace]);
  if (!trace || !tree) return null;
  const segments = segmentsOf(operators, shown, tree.is_deterministic === true);
  return (
    <div class="operator-strip">
      <div class="segments" style={{ width: `${view.end}px` }}>
        <span class="xs name">operator</span>
        {segments.map(({ first, last, writer, nOthers, crosses }) => {
          const [from, to] = [view.columns[first], view.columns[last]];
          if (!from || !to) return null;
          const width = to.x + to.width - from.x - 2;
          const one = writer === null ? undefined : operators[writer];
          const text = one ? `${one.kind} ${one.text}`.trim() : `one of ${nOthers}`;
          const said = `${text}${crosses ? ", and on" : ""}`;
          return (
            <button
              key={from.index}
              type="button"
              class={`segment${one ? (one.slot === null ? "" : " slot") : " unknown"}`}
              style={{ left: `${from.x + 1}px`, width: `${width}px` }}
              title={`${said}\n${first === last ? `step ${from.index}` : `steps ${from.index} to ${to.index}`}`}
              aria-label={`${said}, from step ${from.index}`}
              data-writer={writer ?? undefined}
              onClick={() => (one ? pick(store, trace, one, from.index) : store.goTo(from.index))}
            >
              {said}
            </button>
          );
        })}
      </div>
      {share.n > 0 && (
        <p class="xs faint" data-share>
          without a choice of the model: {int(share.jumped + share.forced)} of {plural(share.n, "token")},{" "}
          {Math.round((100 * (share.jumped + share.forced)) / share.n)} % ({int(share.jumped)} by jump-forward,{" "}
          {int(share.forced)} alone allowed)
        </p>
      )}
    </div>
  );
}
