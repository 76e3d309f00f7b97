// Candidates of the step: what the model wanted before the mask, what is left of it after. Click selects, Enter forces.
import { isAllowed } from "../../bulk";
import { CLASS_NAMES, CLASS_SHAPES, Glyph } from "../../parts/glyphs";
import { memo } from "../../parts/memo";
import { P_AND_Q, Swatches, Token } from "../../parts/small";
import { Term } from "../../parts/terms";
import type { Store } from "../../store";
import { prob } from "../../text";
import type { Candidate } from "../../wire";

/** Widths of p and q in percent of the bar's room. */
const bar = (p: number, max: number): string => `${Math.max(0.5, (p / max) * 100)}%`;

interface RowProps {
  store: Store;
  candidate: Candidate;
  rank: number;
  max: number;
  selected: boolean;
  chosen: boolean;
}
const Row = memo(({ store, candidate, rank, max, selected, chosen }: RowProps) => {
  const [id, text, p, q, code] = candidate;
  const allowed = code === null || isAllowed(code);
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault();
      store.force(id);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const item = (event.currentTarget as HTMLElement).closest("li");
      const next = event.key === "ArrowDown" ? item?.nextElementSibling : item?.previousElementSibling;
      (next?.querySelector("button") as HTMLElement | null)?.focus();
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    <li class={selected ? "is-selected" : ""}>
      <button
        type="button"
        class="candidate"
        aria-pressed={selected}
        data-token={id}
        title={`${CLASS_NAMES[code ?? 0]}, id ${id}${allowed ? `; ⏎: ${store.forcing}` : ""}`}
        onClick={() => store.select({ token: id })}
        onKeyDown={keys}
      >
        <span class="num faint rank">{rank}</span>
        <Glyph shape={CLASS_SHAPES[code ?? 0] ?? "rejected"} />
        <Token text={text} cls={allowed ? "clip" : "clip dim"} />
        <span class="bars">
          {p !== null && <i class={allowed ? "p" : "p lost"} style={{ width: bar(p, max) }} />}
          {allowed && q !== null && q > 0 && <i class="q" style={{ width: bar(q, max) }} />}
        </span>
        <span class="num">{p === null ? "" : prob(p)}</span>
        <span class={`num ${allowed ? "qn" : "faint"}`}>{allowed && q !== null ? prob(q) : "–"}</span>
        <span class="chosen">{chosen ? "chosen" : ""}</span>
      </button>
    </li>
  );
});

export function Candidates({ store, width }: { store: Store; width: number }) {
  const step = store.step.value;
  if (!step || step.top.length === 0) return null;
  const selected = store.selection.value.token;
  const wide = width > 760;
  const shown = step.top.slice(0, wide ? 12 : 8);
  const max = Math.max(...shown.map(([, , p, q]) => Math.max(p ?? 0, q ?? 0)), 1e-9);
  return (
    <div class="candidates">
      <p class="dist-head">
        <span>
          candidates of step {step.index}
          {step.z !== null && (
            <>
              ,{" "}
              <b class="ink">
                <Term of="z">Z</Term> {prob(step.z)}
              </b>
              {step.kl !== null && (
                <>
                  , <Term of="kl">KL</Term> {step.kl < 0.0005 ? prob(step.kl) : step.kl.toPrecision(3)} nats
                </>
              )}
              {step.rank !== null && `, chosen from rank ${step.rank}`}
            </>
          )}
        </span>
        <Swatches of={P_AND_Q} />
      </p>
      <ol class={wide ? "dist two" : "dist"} style={{ "--rows": Math.ceil(shown.length / 2) }}>
        {shown.map((candidate, k) => (
          <Row
            key={k} // rows are ranks: a step changes what they say, and the focus stays where it is
            store={store}
            candidate={candidate}
            rank={k + 1}
            max={max}
            selected={selected === candidate[0]}
            chosen={step.token_id === candidate[0]}
          />
        ))}
      </ol>
    </div>
  );
}
