// What stands beside the source: keywords, railroads, the lowered form. In the workbench they are a pane of their own.
//
// Reader sees  the views of the last text that was a grammar, as tabs. They point into the editor of the same widget, if it is shown.
import type { ComponentChildren } from "preact";
import { Panel } from "../kit";
import type { PadState } from "../wire";
import type { CodeEditor } from "./code_editor";
import type { EditorProps } from "./entry";
import { PadStore } from "./pad_store";
import { Members } from "./sampler";
import { KeywordList, Lowered, RuleRailroad, RuleTimes, type SideProps, SideTabs } from "./side_views";
import { useSeen } from "./source_editor";

interface EditorAt {
  current: CodeEditor | null;
}
const editors = new WeakMap<ShadowRoot, EditorAt>();
/** The editor of a widget, while there is one. */
export function editorIn(shadow: ShadowRoot): EditorAt {
  let editor = editors.get(shadow);
  if (!editor) {
    editor = { current: null };
    editors.set(shadow, editor);
  }
  return editor;
}

export const isOfSchema = (state: PadState | null): boolean =>
  (state?.keywords.length ?? 0) > 0 || state?.kind === "json_schema";

/** The views by their tabs' names. */
export const sideViews = (
  side: SideProps,
  { isSchema, hasLowered }: { isSchema: boolean; hasLowered: boolean },
): Record<string, () => ComponentChildren> => ({
  ...(isSchema && { Keywords: () => <KeywordList {...side} /> }),
  Railroad: () => (
    <>
      <RuleRailroad {...side} />
      <RuleTimes {...side} />
    </>
  ),
  Members: () => <Members pad={side.pad} />,
  ...(hasLowered && { Lowered: () => <Lowered {...side} /> }),
});

export function GrammarViews({ handle, store, shadow }: EditorProps) {
  const pad = PadStore.of(handle);
  const seen = useSeen(pad, store);
  const isSchema = isOfSchema(pad.state.value);
  const side: SideProps = { pad, good: pad.good.value, seen, editor: editorIn(shadow) };
  const behind = pad.isGoodCurrent.value || !side.good ? "" : "is-stale";
  return (
    <Panel readout={behind && "of the last good text"}>
      <div class={`pad-side ${behind}`}>
        <SideTabs views={sideViews(side, { isSchema, hasLowered: true })} first={isSchema ? "Keywords" : "Railroad"} />
      </div>
    </Panel>
  );
}
