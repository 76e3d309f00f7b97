// Of an instance of a template: what was paid once, offline, beside what this request paid before its first token.
//
// Reader sees  two groups of rows with their times, as bars on one log scale; why the instance was compiled, if it could not be linked;
//              then the passes of both, as far as they were timed.

import { micros, plural } from "../../text";
import type { Trace } from "../../wire";
import { logHeight } from "../tape/layout";
import { type PassCost, templateCosts } from "./layout";
import { Waterfall } from "./waterfall";

const BAR = 120;

function Group({ name, rows, total }: { name: string; rows: [what: string, us: number][]; total: string }) {
  return (
    <tbody data-paid={total}>
      <tr>
        <th scope="rowgroup" colSpan={2}>
          {name}
        </th>
        <td class="num">
          <b>{micros(rows.reduce((all, [, us]) => all + us, 0))}</b>
        </td>
        <td />
      </tr>
      {rows.map(([what, us]) => (
        <tr key={what}>
          <td />
          <td>{what}</td>
          <td class="num">{micros(us)}</td>
          <td aria-hidden="true">
            <div class={`cost-bar ${total}`} style={{ width: `${Math.max(2, logHeight(us, BAR))}px` }} />
          </td>
        </tr>
      ))}
    </tbody>
  );
}

const Passes = ({ of, passes, width }: { of: string; passes: PassCost[] | null; width: number }) =>
  passes && (
    <>
      <h3 class="xs faint cost-passes">{of}</h3>
      <Waterfall passes={passes} width={width} />
    </>
  );

interface Props {
  trace: Trace;
  /** those of the template */
  passes: PassCost[] | null;
  width: number;
}
export function TemplateRows({ trace, passes, width }: Props) {
  const costs = templateCosts(trace);
  const facts = trace.header.template;
  if (!costs || !facts) return null;
  return (
    <>
      <table class="table cost-template" aria-label="Costs of the template and of the request">
        <Group name="once, offline" rows={costs.offline} total="offline" />
        <Group name="for this request" rows={costs.request} total="request" />
      </table>
      <p class="xs faint">
        {facts.obstacles.length > 0
          ? `The instance is compiled from the written-out grammar: ${facts.obstacles.join("; ")}.`
          : `Bars are on a log scale. The instance begins with the template's ${plural(facts.n_states, "state")}, lowered and minimized offline.`}
      </p>
      <Passes of="what making the instance did, for this request" passes={costs.passes} width={width} />
      <Passes of="compile passes of the template, once" passes={passes} width={width} />
    </>
  );
}
