// Parts every view uses: the panel with its head, the token as text, notices, empty states, and the width of a box.
import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import type { Refused } from "../answers";
import { visibleRuns } from "../text";
import { Shown } from "../view";
import { AreaButton } from "./area_button";
import { Glyph, Icon } from "./glyphs";
import { Sight } from "./in_sight";
import { PaneContext } from "./pane";
import { PictureButton } from "./picture_button";

interface PanelFrame {
  readout?: ComponentChildren;
  tools?: ComponentChildren;
  children: ComponentChildren;
  onTable?: (() => void) | undefined;
  table?: boolean;
}

/** An error of a command, and the name of the panel that the command was given in; null: outside the panels. */
export interface ToldError {
  error: Refused;
  panel: string | null;
}
/** The error that this widget shows. */
export const Told = createContext<ReadonlySignal<ToldError | null> | null>(null);
/** It lies over what stands below: an error moves nothing. */
export const ToldOver = ({ error }: { error: Refused }) => (
  <div class="told">
    <Refusal error={error} />
  </div>
);

interface ToggleProps {
  on: Signal<boolean>;
  title: string;
  /** the key that presses it, by the view's `press` */
  letter?: string;
  children: ComponentChildren;
}
/** A button in the head of a panel, for what is on or off. */
export const Toggle = ({ on, title, letter, children }: ToggleProps) => (
  <button
    type="button"
    class="ghost"
    aria-pressed={on.value}
    data-key={letter}
    title={letter ? `${title} (${letter})` : title}
    onClick={() => {
      on.value = !on.value;
    }}
  >
    {children}
  </button>
);

/** A head with the title of the view that is drawn, a body, a hairline. `t` on a panel that has a table twin changes to it and back. */
export function Panel({ readout, tools, children, onTable, table }: PanelFrame) {
  const keys = (event: KeyboardEvent) => {
    const target = event.composedPath()[0];
    if (!onTable || event.key !== "t" || target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onTable();
  };
  const { watch } = useContext(Sight);
  const told = useContext(Told);
  const pane = useContext(PaneContext);
  const view = useContext(Shown);
  const [name, title] = [view?.name.replaceAll("_", "-") ?? "", view?.title ?? ""];
  return (
    <section ref={watch} class={`panel ${name}`} data-panel={name} aria-label={title} onKeyDown={keys} tabIndex={-1}>
      <Head>
        {pane ? pane.start : <h2>{title}</h2>}
        <span class="readout">{readout}</span>
        <div class="tools">
          {tools}
          {onTable && (
            <button
              type="button"
              class="ghost icon"
              aria-pressed={table}
              title="As a table (t)"
              aria-label={`${title} as a table`}
              onClick={onTable}
            >
              <Icon name="table" />
            </button>
          )}
          <PictureButton of=".panel" name={name} />
          {!pane && view && <AreaButton of={view.name} />}
        </div>
        {pane?.end}
      </Head>
      {told?.value?.panel === name && <ToldOver error={told.value.error} />}
      {children}
    </section>
  );
}

/**
 * The head of a panel. In a pane it is one line high: tools that have no room there lie below its edge, and a button unfolds them; the
 * keyboard's focus does so too (frame.css).
 */
function Head({ children }: { children: ComponentChildren }) {
  const head = useRef<HTMLElement>(null);
  const isFolded = useSignal(false);
  const isOpen = useSignal(false);
  const isInPane = useContext(PaneContext)?.height != null;
  useLayoutEffect(() => {
    const box = head.current;
    if (!box || !isInPane) return undefined;
    const measure = () => {
      const last = box.querySelector<HTMLElement>(".tools > :last-child");
      isFolded.value = last !== null && last.offsetTop > FOLD_PX;
    };
    // it tells after the layout, when positions cost nothing
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    for (const tool of box.querySelectorAll(".tools > *")) watch.observe(tool);
    const changed = new MutationObserver(() => {
      for (const tool of box.querySelectorAll(".tools > *")) watch.observe(tool);
    });
    changed.observe(box, { childList: true, subtree: true });
    return () => {
      watch.disconnect();
      changed.disconnect();
    };
  }, [isInPane, isFolded]);
  return (
    <header class={isOpen.value ? "head is-unfolded" : "head"} ref={head} data-folded={isFolded.value || undefined}>
      {children}
      {isInPane && (
        <button
          type="button"
          class="ghost icon fold"
          aria-expanded={isOpen.value}
          aria-label="More tools"
          title="More tools"
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          <Icon name="fold" />
        </button>
      )}
    </header>
  );
}
const FOLD_PX = 24;

type Swatch = readonly [look: string, name: string];
/** A legend: each swatch with what it stands for. */
export const Swatches = ({ of }: { of: readonly Swatch[] }) => (
  <span class="key">
    {of.map(([look, name]) => (
      <b key={name}>
        <i class={look} />
        {name}
      </b>
    ))}
  </span>
);
/** That of candidates. */
export const P_AND_Q: readonly Swatch[] = [
  ["p", "p, model"],
  ["q", "q, masked"],
  ["p lost", "p, blocked"],
];

/** A token as it is shown; stand-ins for white space are dimmer. */
export const Token = ({ text, cls = "" }: { text: string; cls?: string }) => (
  <span class={`tok ${cls}`}>{visibleRuns(text).map(([run, dim]) => (dim ? <i class="ws">{run}</i> : run))}</span>
);

export const Notice = (props: {
  level: "error" | "warning" | "hint";
  children: ComponentChildren;
  more?: ComponentChildren;
}) => (
  <div class={`notice ${props.level}`} role={props.level === "error" ? "alert" : "status"}>
    <Glyph shape={props.level} />
    <span>{props.children}</span>
    {props.more && <span class="more">{props.more}</span>}
  </div>
);

/** The remedy of an error: its hint, and the lines that answer a question that was not recorded. */
export const Remedy = ({ of: { message, hint = "", lines = [] } }: { of: Refused }) => (
  <>
    {!message.includes(hint) && hint}
    {lines.map((line) => (
      <code key={line} class="answering">
        {line}
      </code>
    ))}
  </>
);
/** An error where it arose. Its class is for programs: a reader gets the message and the remedy, which some messages end with. */
export const Refusal = ({ error }: { error: Refused }) => (
  <Notice level="error" more={error.hint && !error.message.includes(error.hint) && <Remedy of={error} />}>
    {error.message}
  </Notice>
);
/** What was not recorded, in the place where it would be. */
export const Unrecorded = ({ of }: { of: Refused }) => (
  <>
    {of.message} <Remedy of={of} />
  </>
);

export const Empty = (props: { title: string; children: ComponentChildren; actions?: ComponentChildren }) => (
  <div class="state">
    <strong>{props.title}</strong>
    <p>{props.children}</p>
    {props.actions && <div class="actions">{props.actions}</div>}
  </div>
);

export function Seg<T extends string>(props: {
  label: string;
  /** value, label, and what it does, where the label leaves that open */
  options: readonly (readonly [T, string, string?])[];
  on: T;
  pick: (option: T) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a box and a legend that a row of buttons has no use for
    <span class="seg" role="group" aria-label={props.label}>
      {props.options.map(([key, text, title]) => (
        <button key={key} type="button" title={title} aria-pressed={key === props.on} onClick={() => props.pick(key)}>
          {text}
        </button>
      ))}
    </span>
  );
}

/** The width a box really has, in CSS pixels; 0 until it is laid out. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    const measure = () => {
      const style = getComputedStyle(box);
      const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
      width.value = Math.max(0, Math.floor(box.clientWidth - padding)); // a box that is put away has its padding only
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    return () => watch.disconnect();
  }, [width]);
  return [ref, width.value] as const;
}
