// What stands round every mounted view: notices of the session, the key list, one polite announcement a step.
import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { NUMBERED } from "../frame/arrangements";
import { frameKeys } from "../frame/keys";
import { keyList } from "../keys";
import type { Store } from "../store";
import { visible } from "../text";
import { Views } from "../view";
import { Notice, Told, type ToldError, ToldOver } from "./small";
import { TERMS, TermCard } from "./terms";
import { TourButton, TourHere } from "./tour_here";

/** The session's error in this widget: where the command was given that failed. Every widget tells an error that came without one. */
function useTold(store: Store | null, root: HTMLElement) {
  return useComputed<ToldError | null>(() => {
    const error = store?.error.value;
    if (!error) return null;
    const at = store?.acted.value;
    if (!at?.root.isConnected) return { error, panel: null };
    const panel = at.panel?.isConnected ? (at.panel as HTMLElement).dataset.panel : null;
    return at.root === root ? { error, panel: panel ?? null } : null;
  });
}

function KeyList({ store, single }: { store: Store; single: boolean }) {
  const views = useContext(Views);
  if (!store.helpOpen.value) return null;
  const numbered = NUMBERED.map((name) => views.find((view) => view.name === name)?.title ?? name);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
    <div class="float key-list" role="dialog" aria-label="Keys and words" tabIndex={0}>
      <dl>
        {keyList(views, single ? [] : frameKeys(numbered)).map(({ keys, what }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <TourButton store={store} look="ghost" />
      <dl class="words">
        {Object.values(TERMS).map(({ word, plain }) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{plain}</dd>
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

interface ShellProps {
  store: Store | null;
  root: HTMLElement;
  single: boolean;
  children: ComponentChildren;
}
export function Shell({ store, root, single, children }: ShellProps) {
  const told = useTold(store, root);
  const line = store?.link.line.value;
  return (
    <div class={single ? "shell frame" : "shell"} data-line={line}>
      {line === "closed" && <Notice level="hint">This session was closed. Its record stays on screen.</Notice>}
      {told.value?.panel === null && <ToldOver error={told.value.error} />}
      <Told.Provider value={told}>{children}</Told.Provider>
      {store && <KeyList store={store} single={single} />}
      {store && <Announcer store={store} />}
      {store && <TourHere store={store} root={root} />}
      <TermCard store={store} root={root} />
    </div>
  );
}
