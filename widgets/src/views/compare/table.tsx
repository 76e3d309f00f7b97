// Masks, times and tapes of a comparison as a table: the twin of its drawings, a row a step.
import { Token } from "../../parts/small";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { int, micros } from "../../text";
import type { CompareReport, Phase, Side } from "../../wire";

/** The picture's table twin: a row a step. */
export const StepsTable = ({
  store,
  report,
  cursor,
}: {
  store: Pick<Store, "goTo">;
  report: CompareReport;
  cursor: number;
}) => {
  const inBytes = report.unit === "byte";
  const [tapeA, tapeB] = report.tapes.map((tape) => new Map(tape)) as [Map<number, string>, Map<number, string>];
  const cache = (side: Side, k: number) => side.caches[k]?.replace("_", " ") ?? "–";
  const begins = (tape: Map<number, string>, k: number) => {
    const text = tape.get(k);
    return text === undefined ? "" : <Token text={text} />;
  };
  const differs = new Map(report.differences.map((d) => [d[0], d]));
  const time = (side: Side, phase: Phase, k: number) => {
    const us = report.unit === "byte" ? undefined : side.us[phase][k];
    return us === undefined ? "–" : micros(us);
  };
  return (
    <Table
      heads={[
        "step",
        report.unit,
        "#A allows",
        "#B allows",
        "#only A",
        "#only B",
        "#cold A",
        "#cold B",
        "#warm A",
        "#warm B",
        ...(inBytes ? ["token of A", "token of B"] : ["cache A", "cache B"]),
      ]}
      label="Masks and times, a row a step"
    >
      {report.n_allowed.map(([a, b], k) => (
        <tr key={k} class={k === cursor ? "is-selected" : ""} data-step={k}>
          <th scope="row">
            <button type="button" class="link" onClick={() => store.goTo(k)}>
              {k}
            </button>
          </th>
          <td>{report.texts[k] === undefined ? <span class="faint">end</span> : <Token text={report.texts[k]} />}</td>
          <td class="num">{int(a)}</td>
          <td class="num">{int(b)}</td>
          <td class={differs.has(k) ? "num bad" : "num"}>{differs.get(k)?.[1] ?? 0}</td>
          <td class={differs.has(k) ? "num bad" : "num"}>{differs.get(k)?.[2] ?? 0}</td>
          <td class="num">{time(report.a, "first", k)}</td>
          <td class="num">{time(report.b, "first", k)}</td>
          <td class="num">{time(report.a, "warm", k)}</td>
          <td class="num">{time(report.b, "warm", k)}</td>
          <td>{inBytes ? begins(tapeA, k) : cache(report.a, k)}</td>
          <td>{inBytes ? begins(tapeB, k) : cache(report.b, k)}</td>
        </tr>
      ))}
    </Table>
  );
};
