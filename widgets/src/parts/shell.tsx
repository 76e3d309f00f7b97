// What stands round every mounted view: notices of the session, the key list, one polite
// announcement a step.
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { keyList } from "../keys";
import type { Store } from "../store";
import { visible } from "../text";
import { Views } from "../view";
import { Notice } from "./small";

function Notices({ store }: { store: Store }) {
  const error = store.link.error.value ?? store.commandError.value;
  const line = store.link.line.value;
  return (
    <>
      {line === "closed" && <Notice level="hint">This session was closed. Its record stays on screen.</Notice>}
      {error && (
        <Notice level="error" more={error.hint || "The record so far stays on screen."}>
          <b>{error.type}</b> {error.message}
        </Notice>
      )}
    </>
  );
}

function KeyList({ store }: { store: Store }) {
  const views = useContext(Views);
  if (!store.helpOpen.value) return null;
  return (
    <div class="float key-list" role="dialog" aria-label="Keys">
      <dl>
        {keyList(views).map(({ keys, what }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Announcer({ store }: { store: Store }) {
  const steps = store.link.trace.value?.steps ?? [];
  const chosen = steps.findLast((s) => s.kind !== null);
  const text = chosen
    ? `Step ${chosen.index}: ${visible(chosen.text ?? "")}, ${chosen.n_allowed} tokens were allowed`
    : "";
  return (
    <p class="unseen" role="status" aria-live="polite">
      {store.link.status.value === "running" ? "" : text}
    </p>
  );
}

export const Shell = (props: { store: Store | null; single: boolean; children: ComponentChildren }) => (
  <div class={props.single ? "shell frame" : "shell"} data-line={props.store?.link.line.value}>
    {props.store && <Notices store={props.store} />}
    {props.children}
    {props.store && <KeyList store={props.store} />}
    {props.store && <Announcer store={props.store} />}
  </div>
);
