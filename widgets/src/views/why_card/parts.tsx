// Parts of the why card: its subject, the facts with items and source lines, what else might be asked.
import { useContext } from "preact/hooks";
import { isAllowed } from "../../bulk";
import { CLASS_SHAPES, Glyph } from "../../parts/glyphs";
import { FrameContext } from "../../parts/pane";
import { Token } from "../../parts/small";
import type { Store } from "../../store";
import { bytes as byteCount, int, micros, prob } from "../../text";
import { stateName } from "../../trace";
import type { ExpectedBy, Explanation, Program, Span, Step, Trace } from "../../wire";
import { words } from "../../words";
import { GrammarSwitch } from "../chart_view/grammar";
import { doneText } from "../chart_view/layout/text";
import { engineOf, selectPlace } from "../chart_view/written";
import { MissingEdges } from "./edges";

const MECHANISMS: Record<string, { code: number; says: string } | undefined> = words.mechanisms;
/** The provenance code that belongs to a mechanism. */
export const codeOf = (mechanism: string): number => MECHANISMS[mechanism]?.code ?? 0;

export function mechanismText(why: Explanation, program: Program): string {
  const at = why.entry ? ` in ${stateName(program, why.entry.state)}` : "";
  return MECHANISMS[why.mechanism]?.says.replace("{at}", at) ?? why.mechanism.replaceAll("_", " ");
}

/** The slot that an item reads and what fills it; with a pad that shows the arguments, the way there. */
function Argument({ store, pointer, item }: { store: Store; pointer: string; item: ExpectedBy }) {
  return (
    <span class="argument" data-argument={pointer}>
      <span class="faint">slot</span> <b class="mono">{item.slot}</b> <span class="faint">argument</span>{" "}
      {store.argumentPads.value > 0 ? (
        <button
          type="button"
          class="link mono"
          title="Show this argument in the pad"
          onClick={() => {
            store.argument.value = { pointer };
          }}
        >
          {pointer}
        </button>
      ) : (
        <span class="mono">{pointer}</span>
      )}
      {item.argument_text && <code class="excerpt">{item.argument_text}</code>}
    </span>
  );
}

export function Facts({ store, why, trace }: { store: Store; why: Explanation; trace: Trace }) {
  // the mask and its entry are the engine's
  const { program } = engineOf(trace) ?? trace;
  const items = why.expected_by;
  const frame = useContext(FrameContext);
  const nExpected = why.expected.reduce((n, [lo, hi]) => n + hi - lo + 1, 0);
  return (
    <dl class="facts-list">
      {why.expected_text && (
        <>
          <dt>expected</dt>
          <dd>
            <span class="mono key">{why.expected_text}</span> <span class="faint">{nExpected} of 256 bytes</span>
          </dd>
        </>
      )}
      {items.length > 0 && store.link.trace.value?.as_written?.program && (
        <>
          <dt>grammar</dt>
          <dd>
            <GrammarSwitch store={store} />
          </dd>
        </>
      )}
      {items.slice(0, 3).map((item, k) => (
        <div key={`${item.state}:${item.origin}`}>
          <dt>{k === 0 ? "by item" : ""}</dt>
          <dd>
            <button
              type="button"
              class="link item"
              title="Select this state"
              onClick={() => selectPlace(store, trace, item.rule, item.state)}
            >
              <span class="mono">
                {item.rule_name} → {item.before} <b class="dot">•</b> {item.after}
              </span>
            </button>{" "}
            <span class="faint">from byte {item.origin}</span>
            {item.line_text !== undefined && item.column !== undefined && (
              <>
                <br />
                <button
                  type="button"
                  class="link"
                  data-source={item.line}
                  title="Select this state, and go to the line in the grammar"
                  onClick={() => {
                    selectPlace(store, trace, item.rule, item.state);
                    frame?.show("grammar_pad");
                  }}
                >
                  {item.line}:{item.column}
                </button>{" "}
                <SourceExcerpt text={item.line_text} column={item.column} spans={item.spans} />
              </>
            )}
            {item.argument !== undefined && <Argument store={store} pointer={item.argument} item={item} />}
          </dd>
        </div>
      ))}
      {items.length > 3 && (
        <>
          <dt />
          <dd class="faint">and {items.length - 3} items more</dd>
        </>
      )}
      {why.counted?.slice(0, 3).map((item, k) => (
        <div key={`${item.state}:${item.origin}`}>
          <dt>{k === 0 ? "counted" : ""}</dt>
          <dd data-counted={item.done}>
            <span class="mono">{item.rule_name}</span>
            {doneText(item.done)} <span class="faint">from byte {item.origin}</span>
          </dd>
        </div>
      ))}
      <MissingEdges store={store} why={why} trace={trace} />
      <dt>mechanism</dt>
      <dd data-mechanism={why.mechanism}>{mechanismText(why, program)}</dd>
      {why.entry && (
        <>
          <dt>mask entry</dt>
          <dd>
            <span class="mono">{stateName(program, why.entry.state)}</span> {why.entry.storage.replace("_", " ")},{" "}
            {int(why.entry.n_accepted)} accepted, {int(why.entry.n_rejected)} rejected, {int(why.entry.n_uncertain)}{" "}
            uncertain; {byteCount(why.entry.size_bytes)}, built in {micros(why.entry.build_us)}, {int(why.entry.hits)}{" "}
            hits
          </dd>
        </>
      )}
    </dl>
  );
}

/** The line with the marker on what was expected. Columns count code points from 1. */
export function SourceExcerpt({ text, column, spans }: { text: string; column: number; spans: Span[] }) {
  const glyphs = [...text];
  const width = Math.max(1, (spans[0]?.[1] ?? 0) - (spans[0]?.[0] ?? 0));
  const [a, b] = [column - 1, Math.min(glyphs.length, column - 1 + width)];
  const clip = Math.max(0, a - 28);
  return (
    <code class="excerpt">
      {clip > 0 && "…"}
      {glyphs.slice(clip, a).join("").trimStart()}
      <span class="pen">{glyphs.slice(a, b).join("")}</span>
      {glyphs.slice(b, b + 28).join("")}
      {b + 28 < glyphs.length && "…"}
    </code>
  );
}

export function Subjects({ step, why, code }: { step: Step; why: Explanation; code: number }) {
  const row = step.top.findIndex(([id]) => id === why.token_id);
  const [, , p, q] = step.top[row] ?? [0, "", null, null, null];
  const facts = [
    why.token_id !== null ? `id ${why.token_id}` : `${why.bytes.length / 2} bytes typed`,
    ...(p !== null ? [`p ${prob(p)}${row < 10 ? `, rank ${row + 1}` : ""}`] : []),
    ...(q ? [`q ${prob(q)}`] : []),
    ...(why.token_id !== null && why.token_id === step.token_id ? ["chosen"] : []),
  ];
  return (
    <p class="subject" data-token={why.token_id ?? ""} data-allowed={String(why.allowed)}>
      <Glyph shape={CLASS_SHAPES[code] ?? "rejected"} size={14} />
      <Token text={why.text} />
      {facts.map((fact) => (
        <span key={fact} class="faint s">
          {fact}
        </span>
      ))}
    </p>
  );
}

/** What the model wanted most and may not have: the question asked most often. */
export function Wanted({ store, step }: { store: Store; step: Step }) {
  const blocked = step.top
    .filter(([, , p, , code]) => code !== null && !isAllowed(code) && (p ?? 0) >= 0.001)
    .slice(0, 3);
  if (blocked.length === 0) return null;
  return (
    <>
      <span class="xs faint">wanted, blocked</span>
      {blocked.map(([id, text, p]) => (
        <button key={id} type="button" onClick={() => store.select({ token: id })}>
          <Token text={text} /> <span class="faint">{prob(p ?? 0)}</span>
        </button>
      ))}
    </>
  );
}
