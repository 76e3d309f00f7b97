// Of an instance of a template: what was paid once, offline, beside what this request paid before its first token.
//
// Reader sees  two groups of rows with their times, as bars on one log scale; why the instance was compiled, if it could not be linked;
//              then the passes of both, as far as they were timed.

import { micros, plural } from "../../text";
import type { Costs, PassCost, TemplateFacts } from "../../wire";
import { logHeight } from "../tape/layout";
import { Waterfall } from "./waterfall";

const BAR = 120;

interface GroupProps {
  name: string;
  paid: "offline" | "request";
  us: number;
  /** what was not timed has no row */
  rows: [what: string, us: number | null][];
}
function Group({ name, paid, us, rows }: GroupProps) {
  const timed = rows.filter((row): row is [string, number] => row[1] !== null);
  return (
    <tbody data-paid={paid}>
      <tr>
        <th scope="rowgroup" colSpan={2}>
          {name}
        </th>
        <td class="num">
          <b>{micros(us)}</b>
        </td>
        <td />
      </tr>
      {timed.map(([what, us]) => (
        <tr key={what}>
          <td />
          <td>{what}</td>
          <td class="num">{micros(us)}</td>
          <td aria-hidden="true">
            <div class={`cost-bar ${paid}`} style={{ width: `${Math.max(2, logHeight(us, BAR))}px` }} />
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
  const offline: GroupProps["rows"] = [
    ["compile the template", facts.compile_us],
    ["make the masks that instances share", facts.masks_us],
  ];
  const request: GroupProps["rows"] = [
    [facts.obstacles.length > 0 ? "compile the instance" : "link the instance", facts.instantiate_us],
    ["first mask", paid.first_mask_us],
  ];
  return (
    <>
      <table class="table cost-template" aria-label="Costs of the template and of the request">
        <Group name="once, offline" paid="offline" us={paid.offline_us} rows={offline} />
        <Group name="for this request" paid="request" us={paid.request_us} rows={request} />
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
