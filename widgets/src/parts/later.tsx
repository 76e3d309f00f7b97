// A view whose code comes in a chunk of its own, which is unpacked when the first of them is shown.
//
// The runtime's trait `more_views` holds it from the start, so nothing is asked for, and a notebook opened without a kernel has it.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { unpackChunk } from "../chunks";
import type { PanelProps } from "../panels";
import type { Store } from "../store";
import { Empty, Panel } from "./small";

type Views = Record<string, ComponentType<PanelProps>>;
let views: Views | null = null;
let loading: Promise<Views> | null = null;

async function load(store: Store): Promise<Views> {
  views = await unpackChunk<Views>(store.link.runtime.model.get("more_views") as DataView);
  return views;
}

/** The view of that name as soon as its code is here; or why it is not. */
function useLater<P = PanelProps>(name: string, store: Store): [ComponentType<P> | undefined, failed: string] {
  const failed = useSignal("");
  const here = useSignal(views !== null);
  useEffect(() => {
    if (here.value) return;
    loading ??= load(store);
    loading.then(
      () => {
        here.value = true;
      },
      (error: Error) => {
        failed.value = error.message;
      },
    );
  }, [here, failed, store]);
  return [here.value ? (views?.[name] as ComponentType<P> | undefined) : undefined, failed.value];
}

const NotYet = ({ failed }: { failed: string }) => (
  <Empty title={failed ? "This view could not be loaded" : "On its way"}>
    {failed || "The code of this view is being unpacked."}
  </Empty>
);

export const later = (name: string, title: string): ComponentType<PanelProps> =>
  function Later(props: PanelProps) {
    const [View, failed] = useLater(name, props.store);
    if (View) return <View {...props} />;
    return (
      <Panel name={name.replace("_", "-")} title={title}>
        <div class="body" data-later={failed ? undefined : ""}>
          <NotYet failed={failed} />
        </div>
      </Panel>
    );
  };

/** A part of a view: the same without a panel of its own. */
export const laterPart = <P extends PanelProps = PanelProps>(name: string): ComponentType<P> =>
  function LaterPart(props: P) {
    const [Part, failed] = useLater<P>(name, props.store);
    return Part ? <Part {...props} /> : <NotYet failed={failed} />;
  };
