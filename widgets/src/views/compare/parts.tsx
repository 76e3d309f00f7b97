// Words of a comparison: what B is, what must agree and does not, the verdict, how far it has come.
import { useSignal } from "@preact/signals";
import { copyText } from "../../clipboard";
import { Glyph, Icon } from "../../parts/glyphs";
import { Notice } from "../../parts/small";
import { int, plural, visible } from "../../text";
import type { CompareReport, EngineReport } from "../../wire";

/** A and B in words: what is switched. */
export function what(report: CompareReport): string {
  const said = report.changes.map(([name, a, b]) => `${name}: A ${a}, B ${b}`);
  if (report.is_other_grammar) said.push("B has another grammar");
  if (report.unit === "byte") said.push("B has another vocabulary");
  return said.join("; ") || "B is as A";
}

export function Verdict({ report }: { report: CompareReport }) {
  const size = report.unit === "byte" ? 256 : report.a.vocab_size;
  const bits = `${plural(report.n_done, "mask")}, ${int(report.n_done * size)} bits, ${int(report.n_differ)} differ`;
  const at = report.divergence;
  if (report.a.refused || report.b.refused) return null;
  return (
    <p class="verdict" role="status" data-verdict={at ? "differ" : "agree"}>
      <Glyph shape={at ? "no" : "yes"} />{" "}
      {at ? (
        <>
          <b>They part at step {at.step}</b>{" "}
          <span class="dim">
            byte {at.byte},{" "}
            {at.token_id === null ? (
              "the end of the text"
            ) : (
              <>
                before <code>{visible(at.text)}</code>
              </>
            )}
            {report.n_allowed[at.step] &&
              `: A allows ${plural(report.n_allowed[at.step]?.[0] ?? 0, report.unit)}, B ${int(report.n_allowed[at.step]?.[1] ?? 0)}`}
            {at.takes_a !== at.takes_b && `; ${at.takes_a ? "A" : "B"} alone takes it`}. {bits}.
          </span>
        </>
      ) : (
        <>
          <b>They agree{report.n_done < report.n_steps ? " so far" : ""}.</b> <span class="dim">{bits}.</span>
        </>
      )}
    </p>
  );
}

/** How far the work has come, of two sides or of engines. */
function progressOf(report: CompareReport | EngineReport): [done: number, all: number, says: string] {
  if ("engines" in report) return [report.n_done, report.n_all, report.doing];
  const isMasks = report.n_done < report.n_steps && report.rounds_done === 0;
  const [done, all] = isMasks ? [report.n_done, report.n_steps] : [report.rounds_done, report.n_rounds];
  return [done, all, isMasks ? `mask ${int(done)} of ${int(all)}` : `timing, round ${done} of ${all}`];
}

export function Progress({ report, stop }: { report: CompareReport | EngineReport; stop: () => void }) {
  const [done, all, says] = progressOf(report);
  return (
    <div class="progress">
      <span
        class="track"
        role="progressbar"
        aria-label="Comparison"
        aria-valuemin={0}
        aria-valuemax={all}
        aria-valuenow={done}
      >
        <i style={{ width: `${(100 * done) / Math.max(1, all)}%` }} />
      </span>
      <span class="xs dim">{says}</span>
      <button type="button" onClick={stop}>
        stop<kbd>esc</kbd>
      </button>
    </div>
  );
}

export function Findings({ report }: { report: CompareReport }) {
  const said = useSignal("");
  const copy = async () => {
    said.value = (await copyText(report.repro)) ? "copied" : "the browser refused: it is in data().repro";
  };
  return (
    <>
      {report.findings.map(([level, text]) => (
        <Notice key={text} level={level}>
          {text.split("\n")[0]}
          {level === "error" && report.repro && (
            <>
              {" "}
              <button type="button" class="link" onClick={copy}>
                <Icon name="copy" /> copy minimal repro
              </button>{" "}
              <span role="status">{said.value}</span>
            </>
          )}
        </Notice>
      ))}
    </>
  );
}
