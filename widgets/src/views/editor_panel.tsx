// GrammarPad and ExampleBench, as the bundle knows them: the code is in a chunk of its own, fetched when the first of them is shown.
//
// Reader sees  the source as plain text until the editor is there, and where it can't be had (a page without a kernel).
//              Python -> browser: the pad's state; browser -> Python: what is typed.
import { type Signal, useSignal } from "@preact/signals";
import { type ComponentType, createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { chunk } from "../chunks";
import type { PanelProps } from "../panels";
import { Empty, Panel } from "../parts/small";
import type { Channel } from "../rpc";
import type { PadHandle } from "../runtime_api";
import type { Store } from "../store";

export interface PadPlace {
  handle: PadHandle | null;
  runtime: Channel;
  /** where styles and floats of the view live */
  shadow: ShadowRoot;
}
/** The pad that a mounted view belongs to. */
export const PadContext = createContext<PadPlace | null>(null);

interface EditorProps extends PadPlace {
  handle: PadHandle;
  store: Store | null;
  nested: boolean;
}
interface Editor {
  GrammarPad: ComponentType<EditorProps>;
  ExampleBench: ComponentType<EditorProps>;
  ready: Promise<void>;
}

interface WaitingProps {
  name: string;
  title: string;
  source: string;
  broken: Signal<string | null>;
}
const Waiting = ({ name, title, source, broken }: WaitingProps) => (
  <Panel name={name} title={title} readout={broken.value ? "" : "the editor is on its way"}>
    <div class="body">
      {source && (
        <div class="code">
          <pre>{source}</pre>
        </div>
      )}
      {broken.value && (
        <Empty title="The editor is not here">Run the cell, with a kernel, for it. {broken.value}</Empty>
      )}
    </div>
  </Panel>
);

function editorPanel(component: "GrammarPad" | "ExampleBench", name: string, title: string): ComponentType<PanelProps> {
  return ({ store, nested = false }: PanelProps) => {
    const place = useContext(PadContext);
    const editor = useSignal<Editor | null>(null);
    const broken = useSignal<string | null>(null);
    useEffect(() => {
      let left = false;
      const fail = (error: Error) => {
        if (!left) broken.value = error.message;
      };
      if (!place?.handle) fail(new Error("This view has no pad."));
      else
        chunk<Editor>(place.runtime, "editor").then(async (made) => {
          await made.ready;
          if (!left) editor.value = made;
        }, fail);
      return () => {
        left = true;
      };
    }, [place]);
    const View = editor.value?.[component];
    const source = name === "grammar-pad" ? (store?.link.trace.value?.header.grammar.text ?? "") : "";
    if (!View || !place?.handle) return <Waiting name={name} title={title} source={source} broken={broken} />;
    return <View {...place} handle={place.handle} store={store} nested={nested} />;
  };
}

export const GrammarPad = editorPanel("GrammarPad", "grammar-pad", "Grammar");
export const ExampleBench = editorPanel("ExampleBench", "example-bench", "Examples");
