// The editor's chunk: what the bundle calls to have GrammarPad and ExampleBench. Its style sheet goes into each view's shadow root.
import { type ComponentType, h } from "preact";
import { gunzip } from "../gzip";
import type { PadHandle } from "../runtime_api";
import type { Store } from "../store";
import packedStyles from "./editor.css";
import { ExampleBench as Bench } from "./example_bench";
import { GrammarPad as Pad } from "./grammar_pad";

export interface EditorProps {
  handle: PadHandle;
  store: Store | null;
  shadow: ShadowRoot;
  nested: boolean;
}

const sheet = new CSSStyleSheet();
/** Resolved when the style sheet is there: the editor measures itself. */
export const ready: Promise<void> = gunzip(Uint8Array.from(atob(packedStyles), (c) => c.charCodeAt(0))).then((css) => {
  sheet.replaceSync(new TextDecoder().decode(css));
});

const styled =
  (View: ComponentType<EditorProps>): ComponentType<EditorProps> =>
  (props) => {
    const { shadow } = props; // before the view measures itself, so not in an effect
    if (!shadow.adoptedStyleSheets.includes(sheet)) shadow.adoptedStyleSheets.push(sheet);
    return h(View, props);
  };

export const GrammarPad = styled(Pad);
export const ExampleBench = styled(Bench);
