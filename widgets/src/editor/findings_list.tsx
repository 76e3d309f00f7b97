// All findings below the source, a row each: the place, what is wrong, and the change that mends it where one is known.
import { Glyph, plural } from "../kit";
import type { Finding, Severity } from "../wire";
import { coded } from "./coded";

export function countText(findings: readonly Finding[]): string {
  const n = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const words = (["error", "warning", "hint"] as const).filter((s) => n(s)).map((s) => plural(n(s), s));
  return words.join(", ");
}

/** Whether the button of the change says all that the hint says. */
const isSaid = ({ fix, hint }: Finding): boolean => fix !== null && fix.title === hint.replaceAll("`", "");

/** Those of a template's arguments are listed below the arguments; in the template they are marked only. */
export function FindingsList(props: {
  findings: readonly Finding[];
  label?: string;
  fresh: boolean;
  show: (k: number) => void;
  mend: (k: number) => void;
}) {
  const { findings } = props;
  const isListed = (finding: Finding) => !finding.of_arguments;
  return (
    <ul
      class={`findings ${props.fresh ? "" : "is-stale"}`}
      aria-label={props.label ?? "Findings"}
      data-findings={findings.filter(isListed).length}
    >
      {findings.map(
        (f, k) =>
          isListed(f) && (
            <li key={`${f.code}:${f.span[0]}:${f.message}`} data-code={f.code}>
              <Glyph shape={f.severity} />
              <button type="button" class="plain" onClick={() => props.show(k)}>
                <span class="mono faint at">
                  {f.line}:{f.column}
                </span>
                <span class="words">
                  <span class="unseen">{f.severity}: </span>
                  {coded(f.message)}{" "}
                  <span class="faint code-name">
                    {f.pointer !== null && props.label ? f.pointer || f.code : f.code}
                  </span>
                  {f.hint && !isSaid(f) && <span class="hint-words">{coded(f.hint)}</span>}
                </span>
              </button>
              {f.fix && (
                <button type="button" class="link" disabled={!props.fresh} onClick={() => props.mend(k)}>
                  {f.fix.title}
                </button>
              )}
            </li>
          ),
      )}
      {!findings.some(isListed) && (
        <li class="none">
          <Glyph shape={findings.length > 0 ? "error" : "yes"} />
          <span class="faint">{findings.length > 0 ? "the arguments don't fit, see below" : "no findings"}</span>
        </li>
      )}
    </ul>
  );
}
