// Of an instance of a template: what was paid once, offline, beside what this request paid before its first token.
//
// Reader sees  two groups of rows with their times, as bars on one log scale; why the instance was compiled, if it could not be linked;
//              then the passes of both, as far as they were timed.

import { micros, plural } from "../../text";
import type { Costs, Paid, PassCost, TemplateFacts } from "../../wire";
import { logHeight } from "../tape/layout";
import { Waterfall } from "./waterfall";

const BAR = 120;

function Group({ name, when, us, rows }: Paid) {
  return (
    <tbody data-paid={when}>
      <tr>
        <th scope="rowgroup" colSpan={2}>
          {name}
        </th>
        <td class="num">
          <b>{micros(us)}</b>
        </td>
        <td />
      </tr>
      {rows.map(([what, us]) => (
        <tr key={what}>
          <td />
          <td>{what}</td>
          <td class="num">{micros(us)}</td>
          <td aria-hidden="true">
            <div class={`cost-bar ${when}`} style={{ width: `${Math.max(2, logHeight(us, BAR))}px` }} />
          </td>
        </tr>
      ))}
    </tbody>
  );
}

interface PassesProps {
  of: string;
  passes: PassCost[] | null;
  us: number | null;
  width: number;
}
const Passes = ({ of, passes, us, width }: PassesProps) =>
  passes && (
    <>
      <h3 class="xs faint cost-passes">{of}</h3>
      <Waterfall passes={passes} us={us ?? 0} width={width} />
    </>
  );

interface Props {
  facts: TemplateFacts;
  costs: Costs;
  width: number;
}
export function TemplateRows({ facts, costs, width }: Props) {
  const paid = costs.template;
  if (!paid) return null;
  return (
    <>
      <table class="table cost-template" aria-label="Costs of the template and of the request">
        {paid.paid.map((group) => (
          <Group key={group.when} {...group} />
        ))}
      </table>
      <p class="xs faint">
        {facts.obstacles.length > 0
          ? `The instance is compiled from the written-out grammar: ${facts.obstacles.join("; ")}.`
          : `Bars are on a log scale. The instance begins with the template's ${plural(facts.n_states, "state")}, lowered and minimized offline.`}
      </p>
      <Passes
        of="what making the instance did, for this request"
        passes={paid.passes}
        us={paid.passes_us}
        width={width}
      />
      <Passes of="compile passes of the template, once" passes={costs.passes} us={costs.passes_us} width={width} />
    </>
  );
}
