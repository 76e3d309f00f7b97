// The derivation tree as a table: a row a node, indented by its depth.

import { Table } from "../../../parts/table";
import type { Branch } from "./layout";
import type { Box } from "./places";

interface Props {
  boxes: readonly Box[];
  isOn: (box: Box) => boolean;
  pick: (box: Box) => void;
  column: number;
}
const KINDS = { branch: "rule", leaf: "bytes", fold: "folded", levels: "folded", wait: "may follow" } as const;

export const TreeTable = ({ boxes, isOn, pick, column }: Props) => (
  <Table
    label={`Derivation tree of the first ${column} bytes`}
    caption={<>derivation tree of the first {column} bytes</>}
    heads={["node", "", "#from byte", "#to byte", "read otherwise"]}
  >
    {boxes.map((box) => (
      <tr key={box.key} class={isOn(box) ? "is-selected" : ""}>
        <th scope="row" class="mono" style={{ paddingLeft: `${8 + 12 * box.row}px` }}>
          {box.kind === "wait" ? (
            box.label
          ) : (
            <button type="button" class="plain" onClick={() => pick(box)}>
              {box.label}
            </button>
          )}
        </th>
        <td class="faint">{KINDS[box.kind]}</td>
        <td class="num">{box.kind === "wait" ? "" : box.begin}</td>
        <td class="num">{box.end ?? (box.kind === "branch" ? "open" : "")}</td>
        <td class="mono">{box.nWays > 1 && `${box.nWays} ways: also ${(box.part as Branch).also.join(", ")}`}</td>
      </tr>
    ))}
  </Table>
);
