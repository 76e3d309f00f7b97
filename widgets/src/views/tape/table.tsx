// The tape's table twin: a row a step, the same figures as the drawing.
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { micros, millis, prob, visible } from "../../text";
import type { Step } from "../../wire";

export function TapeTable({ store, steps, cursor }: { store: Store; steps: Step[]; cursor: number }) {
  const cell = (x: number | null, show: (n: number) => string) => (x === null ? "–" : show(x));
  return (
    <Table
      label="Steps, a row each"
      heads={["#step", "token", "kind", "#byte", "#p", "#Z", "#allowed", "#mask", "#model", "cache"]}
    >
      {steps.map((s) => (
        <tr key={s.index} class={s.index === cursor ? "is-selected" : ""} onClick={() => store.goTo(s.index)}>
          <th scope="row" class="num">
            <button type="button" class="link" onClick={() => store.goTo(s.index)}>
              {s.index}
            </button>
          </th>
          <td class="tok">{s.kind ? visible(s.text ?? "") : "?"}</td>
          <td>{s.kind?.replaceAll("_", " ") ?? "not chosen yet"}</td>
          <td class="num">{s.byte_begin}</td>
          <td class="num">{cell(s.p, prob)}</td>
          <td class="num">{cell(s.z, prob)}</td>
          <td class="num">{cell(s.n_allowed, String)}</td>
          <td class="num">{cell(s.mask_us, micros)}</td>
          <td class="num">{cell(s.model_ms, (n) => `${millis(n)} ms`)}</td>
          <td>{s.cache?.replace("_", " ") ?? "–"}</td>
        </tr>
      ))}
    </Table>
  );
}
