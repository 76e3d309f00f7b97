// The editor's chunk: what the bundle calls to have GrammarPad, ExampleBench and Sampler. Its style sheet goes into each view's shadow root.
import { type ComponentType, h } from "preact";
import type { PadHandle } from "../runtime_api";
import type { Store } from "../store";
import styles from "./editor.css";
import { ExampleBench as Bench } from "./example_bench";
import { GrammarPad as Pad } from "./grammar_pad";
import { GrammarViews as RuleViews } from "./grammar_views";
import { Sampler as Samples } from "./sampler";

export interface EditorProps {
  handle: PadHandle;
  store: Store | null;
  shadow: ShadowRoot;
  nested: boolean;
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

const styled =
  (View: ComponentType<EditorProps>): ComponentType<EditorProps> =>
  (props) => {
    const { shadow } = props; // before the view measures itself, so not in an effect
    if (!shadow.adoptedStyleSheets.includes(sheet)) shadow.adoptedStyleSheets.push(sheet);
    return h(View, props);
  };

export const GrammarPad = styled(Pad);
export const GrammarViews = styled(RuleViews);
export const ExampleBench = styled(Bench);
export const Sampler = styled(Samples);
