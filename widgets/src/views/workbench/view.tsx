// Workbench: the views in one grid, chosen by the width of its box, with one transport and the selection spelled out on top.
//
// A place of the grid holds one view, or several as tabs; only the tab on top is mounted. So a view that nobody sees costs nothing.
import { useContext } from "preact/hooks";
import { AreaButton } from "../../parts/area_button";
import { Icon } from "../../parts/glyphs";
import { PadContext } from "../../parts/pad";
import { PictureButton } from "../../parts/picture_button";
import { useWidth } from "../../parts/small";
import { Tabbed } from "../../parts/tabs";
import { TourButton } from "../../parts/tour_here";
import { Transport } from "../../parts/transport";
import type { Store } from "../../store";
import { hex, int, visible } from "../../text";
import { ruleOf, stateName } from "../../trace";
import { type PanelProps, PLACES, type Place, Views } from "../../view";
import { outputBytes } from "../chart_view/layout/chart";

function TopBar({ store, wide }: { store: Store; wide: boolean }) {
  const header = store.link.trace.value?.header;
  const steps = store.link.trace.value?.steps.length ?? 0;
  return (
    <div class="topbar">
      <span class="wordmark">xg2lab</span>
      <span class="session">
        <b>{header?.name}</b>
        <span class="faint">
          {store.link.line.value === "offline" ? "recorded" : store.link.status.value}, step{" "}
          {store.step.value?.index ?? 0} of {Math.max(0, steps - 1)}
        </span>
      </span>
      {wide && header && (
        <span class="facts">
          {header.model && <span>{header.model.name}</span>}
          {header.model && (
            <span>
              {header.model.device}, {header.model.dtype}
            </span>
          )}
          <span>{int(header.vocab_size)} tokens</span>
        </span>
      )}
      <Transport store={store} wide={wide} />
      <TourButton store={store} look="ghost" />
      <PictureButton of=".workbench" name="workbench" />
      <AreaButton of="workbench" />
    </div>
  );
}

/** Back and forward through what was selected. */
const Recall = ({ store }: { store: Store }) => (
  <span class="recall">
    <button
      type="button"
      class="ghost icon"
      aria-label="Selection before"
      title="Selection before ([)"
      disabled={!store.history.canGoBack.value}
      onClick={() => store.recall(-1)}
    >
      <Icon name="before" />
    </button>
    <button
      type="button"
      class="ghost icon"
      aria-label="Selection after"
      title="Selection after (])"
      disabled={!store.history.canGoForward.value}
      onClick={() => store.recall(1)}
    >
      <Icon name="after" />
    </button>
  </span>
);

/** The selection in words: every part of it, whichever view it came from. */
function Rail({ store }: { store: Store }) {
  const trace = store.link.trace.value;
  const step = store.step.value;
  const selection = store.selection.value;
  if (!trace || !step) return null;
  const text =
    selection.token === null
      ? null
      : (step.top.find(([id]) => id === selection.token)?.[1] ??
        store.link.vocabulary.value?.text(selection.token) ??
        "");
  const bytes = outputBytes(trace.steps);
  const byte = selection.byte;
  const rule = ruleOf(trace.program, selection.rule);
  const parts: [string, string][] = [
    ["step", `${step.index}`],
    ...(selection.token === null
      ? []
      : ([["token", `${visible(text ?? "")} ${selection.token}`]] as [string, string][])),
    ...(byte === null
      ? []
      : ([["byte", `${byte}${bytes[byte] === undefined ? "" : ` = ${hex(bytes[byte])}`}`]] as [string, string][])),
    ...(rule ? ([["rule", rule.name]] as [string, string][]) : []),
    ...(selection.item
      ? ([["item", `${selection.item[1]} of column ${selection.item[0]}`]] as [string, string][])
      : []),
    ...(selection.state === null ? [] : ([["state", stateName(trace.program, selection.state)]] as [string, string][])),
    ...(selection.mask_entry === null
      ? []
      : ([["mask entry", stateName(trace.program, selection.mask_entry)]] as [string, string][])),
  ];
  return (
    <nav class="rail" aria-label="Selection">
      <span class="pen">selection</span>
      <Recall store={store} />
      {parts.map(([name, value]) => (
        <span key={name} class="part">
          <span class="faint">{name}</span> <span class="mono">{value}</span>
        </span>
      ))}
      <button
        type="button"
        class="link xs keys"
        onClick={() => {
          store.helpOpen.value = true;
        }}
      >
        keys ?
      </button>
    </nav>
  );
}

/** from here on source and examples have a column of their own */
const THREE = 1560;

/** Some of the places, each with its views. On top is the view that leads for this trace, or the first. */
function Places({ store, names }: { store: Store; names: readonly Place[] }) {
  const all = useContext(Views);
  const trace = store.link.trace.value;
  return (
    <div>
      {names.map((name) => {
        const views = all.filter((view) => view.place === name);
        const first = views.find((view) => trace && view.leads(trace)) ?? views[0];
        if (!first) return null;
        const number = PLACES.indexOf(name) + 1;
        return <Tabbed key={name} store={store} name={name} number={number} views={views} first={first.title} />;
      })}
    </div>
  );
}

export function Workbench({ store }: PanelProps) {
  const [box, width] = useWidth();
  const hasPad = useContext(PadContext)?.handle != null;
  const layout = width >= THREE && hasPad ? "three" : width >= 1000 ? "two" : "one";
  const Text = useContext(Views).find((view) => view.name === "text_view")?.component;
  const author = hasPad && <Places store={store} names={["source", "examples"]} />;
  return (
    <div class="frame workbench" ref={box} data-layout={layout}>
      <TopBar store={store} wide={width > 760} />
      <Rail store={store} />
      {Text && <Text store={store} nested />}
      <div class={`wb ${layout}`}>
        {layout === "three" && author}
        <Places store={store} names={["tape", "machine", "chart", "cost"]} />
        <Places store={store} names={["mask", "why", "dist"]} />
        {layout !== "three" && author}
      </div>
    </div>
  );
}
