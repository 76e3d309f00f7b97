// Sampler: members of the grammar while it is typed, and a text that is nearly one.
//
// Reader sees  ten random members of the last valid text; the shortest one; one that uses the rule or shows the keyword at the caret; a
//              text one edit away that is no member, with the byte at which it fails. A member becomes an example with one click.
//              Browser -> Python: the seed, the rule or keyword. Python -> browser: the texts.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Empty, Notice, Panel } from "../kit";
import type { Keyword, SamplesReply } from "../wire";
import type { EditorProps } from "./entry";
import { offsetsOf } from "./offsets";
import { PadStore } from "./pad_store";

const REST_MS = 250;

/** The last keyword that begins at the caret or before. */
export function keywordAt(keywords: readonly Keyword[], byte: number): Keyword | null {
  let found: Keyword | null = null;
  for (const one of keywords) if (one.span[0] <= byte && (!found || one.span[0] >= found.span[0])) found = one;
  return found;
}

/** The byte of a text as the character that begins there. */
export function splitAt(text: string, byte: number): [string, string, string] {
  const at = offsetsOf(text).unit(byte);
  const bad = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  return at >= text.length ? [text, "", ""] : [text.slice(0, at), bad, text.slice(at + bad.length)];
}

function Row(props: {
  label: ComponentChildren;
  text: string;
  add: (() => void) | null;
  children?: ComponentChildren;
}) {
  return (
    <li class="sample" data-sample={props.text}>
      <span class="faint xs">{props.label}</span>
      <span class="mono words">
        {props.children ?? (props.text === "" ? <em class="faint">the empty text</em> : props.text)}
      </span>
      {props.add && (
        <button type="button" class="link" title="Make it an example that should match" onClick={props.add}>
          example
        </button>
      )}
    </li>
  );
}

function Near({ samples, add }: { samples: SamplesReply; add: (() => void) | null }) {
  const { near, near_died_at, near_edit, near_expected } = samples;
  if (near === null)
    return (
      <li class="sample">
        <span class="faint xs">not a member</span>
        <span class="faint">none found one edit away</span>
      </li>
    );
  const [before, bad, after] = near_died_at === null ? [near, "", ""] : splitAt(near, near_died_at);
  return (
    <>
      <Row label="not a member" text={near} add={add}>
        {before}
        {near_died_at !== null && <mark class="died">{bad || "⟂"}</mark>}
        {after}
      </Row>
      <li class="sample">
        <span />
        <span class="faint xs">
          {near_edit}; {near_died_at === null ? "the text is incomplete" : `fails at byte ${near_died_at}`}
          {near_expected && `, where ${near_expected} may stand`}
        </span>
      </li>
    </>
  );
}

interface Drawn {
  samples: SamplesReply | null;
  seed: number;
  /** the rule or keyword that one member uses */
  used: string | null;
  isLive: boolean;
  again: () => void;
}

/** The members of the last valid text: drawn again when it changes, when the caret goes to another rule or keyword, on a new seed. */
function useSamples(pad: PadStore): Drawn {
  const seed = useSignal(1);
  const { samples } = pad;
  const state = pad.state.value;
  const isSchema = state?.kind === "json_schema" || state?.kind === "structural_tag";
  const keyword = isSchema ? keywordAt(state?.keywords ?? [], offsetsOf(pad.text.value).byte(pad.caret.value)) : null;
  const rule = isSchema ? null : pad.rule.value;
  const pointer = keyword?.pointer ?? null;
  const revision = state?.good_revision ?? -1;
  const isLive = pad.line.value === "live";
  useEffect(() => {
    if (!isLive || revision < 0) return undefined;
    let left = false;
    const resting = setTimeout(async () => {
      const got = await pad.sample({ seed: seed.value, rule, pointer });
      if (got && !left) samples.value = got;
    }, REST_MS);
    return () => {
      left = true;
      clearTimeout(resting);
    };
  }, [pad, isLive, revision, seed.value, rule, pointer]);
  const again = () => {
    seed.value += 1;
  };
  return { samples: samples.value, seed: seed.value, used: keyword ? keyword.keyword : rule, isLive, again };
}

function Again({ drawn }: { drawn: Drawn }) {
  return (
    <button
      type="button"
      class="ghost"
      data-key="s"
      disabled={!drawn.isLive || !drawn.samples}
      title={`Other random members than those of seed ${drawn.seed}`}
      onClick={drawn.again}
    >
      new seed
    </button>
  );
}

function SampleList({ pad, drawn }: { pad: PadStore; drawn: Drawn }) {
  const { samples, isLive, used } = drawn;
  if (!samples)
    return (
      <Empty title="No members yet">
        {isLive ? "Members appear when the text is a valid grammar." : "Without a kernel, no members are drawn."}
      </Empty>
    );
  if (samples.note) return <Empty title="No members">{samples.note}</Empty>;
  const add = (text: string | null, should_match: boolean) =>
    isLive && text !== null ? () => pad.example("add", { text, should_match }) : null;
  const { shortest, uses, near, members } = samples;
  return (
    <>
      {!pad.isGoodCurrent.value && <Notice level="hint">These are members of the last valid text.</Notice>}
      <ol class="samples body" aria-label="Members" data-revision={samples.revision}>
        {shortest !== null && <Row label="shortest" text={shortest} add={add(shortest, true)} />}
        {uses !== null && <Row label={`uses ${used}`} text={uses} add={add(uses, true)} />}
        <Near samples={samples} add={add(near, false)} />
        {members.map((text, k) => (
          <Row key={`${k}:${text}`} label={k === 0 ? "random" : ""} text={text} add={add(text, true)} />
        ))}
      </ol>
    </>
  );
}

/** Beside the source, in the pad. */
export function Members({ pad }: { pad: PadStore }) {
  const drawn = useSamples(pad);
  return (
    <>
      <p class="pad-sub">
        <span class="faint xs">seed {drawn.seed}</span>
        <Again drawn={drawn} />
      </p>
      <SampleList pad={pad} drawn={drawn} />
    </>
  );
}

/** As a view of its own. */
export function Sampler({ handle }: EditorProps) {
  const pad = PadStore.of(handle);
  const drawn = useSamples(pad);
  return (
    <Panel readout={drawn.samples ? `seed ${drawn.seed}` : ""} tools={<Again drawn={drawn} />}>
      <SampleList pad={pad} drawn={drawn} />
    </Panel>
  );
}
