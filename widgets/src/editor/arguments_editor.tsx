// The arguments of a template: a second editor, of JSON, with its findings; what the why card points at is marked in it.
import { effect, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../store";
import { CodeEditor } from "./code_editor";
import { FindingsList } from "./findings_list";
import { Help, NO_ANSWERS } from "./help";
import { placeOf } from "./json_place";
import type { PadStore } from "./pad_store";

interface Props {
  pad: PadStore;
  store: Store | null;
  shadow: ShadowRoot;
}

export function ArgumentsEditor({ pad, store, shadow }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  useLayoutEffect(() => {
    const made = new CodeEditor(
      box.current as HTMLElement,
      {
        root: shadow,
        label: "Arguments",
        text: pad.args.peek(),
        kept: null,
        help: new Help(
          NO_ANSWERS,
          () => pad.args.peek(),
          () => "json_schema",
        ),
        typed: (text) => pad.typeArguments(text),
        apply: () => {
          if (pad.state.peek()?.has_session) pad.apply();
        },
        moved: () => undefined,
        heatOf: () => null,
      },
      signal(null),
    );
    editor.current = made;
    made.setKind("json_schema");
    const before = store?.argument.peek() ?? null; // asked for when there was no such editor
    const stops = [
      effect(() => made.setText(pad.args.value)),
      effect(() => {
        const findings = pad.state.value?.arguments?.findings;
        if (findings) made.setFindings(findings, pad.isFresh.value);
      }),
      effect(() => {
        const asked = store?.argument.value ?? null;
        const place = asked === before || !asked ? null : placeOf(pad.args.peek(), asked.pointer);
        if (!place) return;
        made.reveal(...place);
        box.current?.scrollIntoView({ block: "nearest" });
      }),
    ];
    if (store) stops.push(store.showsArguments());
    return () => {
      for (const stop of stops) stop();
      made.destroy();
      editor.current = null;
    };
  }, [pad, shadow, store]);
  const told = pad.state.value?.arguments;
  return (
    <section class="pad-arguments" aria-label="Arguments of the template">
      <p class="pad-sub first">
        <span>arguments</span>
        <span class="faint">JSON, one value for each slot</span>
        {told?.skeleton && pad.args.value.trim() === "" && (
          <button type="button" class="link" onClick={() => pad.typeArguments(told.skeleton)}>
            fill in
          </button>
        )}
      </p>
      <div class="pad-text" ref={box} />
      {told && (
        <FindingsList
          findings={told.findings}
          label="Findings in the arguments"
          fresh={pad.isFresh.value}
          show={(k) => editor.current?.showNumber(k)}
          mend={() => undefined}
        />
      )}
    </section>
  );
}
