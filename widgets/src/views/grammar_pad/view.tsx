// GrammarPad, ExampleBench and Sampler, as the bundle knows them: the code is in a chunk of its own, fetched when the first of them is shown.
//
// Reader sees  source and examples as plain text, as they were saved, until the editor is there and where it can't be had (a page
//              without a kernel).
//              Python -> browser: the pad's state; browser -> Python: what is typed.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { chunk } from "../../chunks";
import { gunzip } from "../../gzip";
import { page } from "../../page";
import { PadContext, type PadPlace } from "../../parts/pad";
import { Empty, Panel } from "../../parts/small";
import { bytesOf } from "../../rpc";
import type { PadHandle } from "../../runtime_api";
import type { Store } from "../../store";
import { visible } from "../../text";
import { type PanelProps, Shown } from "../../view";
import type { BenchRow, PadWhole } from "../../wire";

interface EditorProps extends PadPlace {
  handle: PadHandle;
  store: Store | null;
  nested: boolean;
}
interface Editor {
  GrammarPad: ComponentType<EditorProps>;
  GrammarViews: ComponentType<EditorProps>;
  ExampleBench: ComponentType<EditorProps>;
  Sampler: ComponentType<EditorProps>;
}

interface WaitingProps {
  text: string;
  /** why the editor can't be had, and what to do */
  broken: string | null;
}
const Waiting = ({ text, broken }: WaitingProps) => (
  <Panel readout={broken ? "" : "the editor is loading"}>
    <div class="body" data-later={broken ? undefined : ""}>
      {text && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
        <section class="code saved" tabIndex={0} aria-label={`${useContext(Shown)?.title} as text`}>
          <pre>{text}</pre>
        </section>
      )}
      {broken && <Empty title="The editor is not available">{broken}</Empty>}
    </div>
  </Panel>
);

const rowText = ({ should_match, verdict, agrees, text }: BenchRow) =>
  `${agrees === false ? "✗" : agrees ? "✓" : " "} ${should_match ? "should match" : "should not  "}  ${(verdict ?? "not judged").padEnd(10)}  ${visible(text)}`;

async function savedOf({ model }: PadHandle): Promise<PadWhole | null> {
  const packed = model.get("replay");
  if (!packed) return null;
  return JSON.parse(new TextDecoder().decode(await gunzip(bytesOf(packed).slice()))) as PadWhole;
}

function editorPanel(component: keyof Editor): ComponentType<PanelProps> {
  return ({ store, nested = false }: PanelProps) => {
    const place = useContext(PadContext);
    const editor = useSignal<Editor | null>(null);
    const broken = useSignal<string | null>(null);
    const saved = useSignal<PadWhole | null>(null);
    useEffect(() => {
      let left = false;
      const handle = place?.handle;
      if (!handle) {
        broken.value = "This view has no pad.";
        return undefined;
      }
      void savedOf(handle).then((state) => {
        if (!left) saved.value = state;
      });
      if (page().isRecording) broken.value = "This page is a recording: run the notebook that made it to edit.";
      else
        chunk<Editor>(place.runtime, "editor").then(
          (made) => {
            if (!left) editor.value = made;
          },
          (error: Error) => {
            if (!left) broken.value = `The editor failed to load. Start a kernel and rerun the cell. ${error.message}`;
          },
        );
      return () => {
        left = true;
      };
    }, [place]);
    const View = editor.value?.[component];
    if (!View || !place?.handle) {
      const whole = saved.value;
      const texts = {
        GrammarPad: () => whole?.state.text ?? store?.link.trace.value?.header.grammar.text ?? "",
        GrammarViews: () => "",
        ExampleBench: () => whole?.state.rows.map(rowText).join("\n") ?? "",
        Sampler: () => whole?.samples?.members.map(visible).join("\n") ?? "",
      };
      const text = texts[component]();
      return <Waiting text={text} broken={broken.value} />;
    }
    return <View {...place} handle={place.handle} store={store} nested={nested} />;
  };
}

export const GrammarPad = editorPanel("GrammarPad");
export const GrammarViews = editorPanel("GrammarViews");
export const ExampleBench = editorPanel("ExampleBench");
export const Sampler = editorPanel("Sampler");
