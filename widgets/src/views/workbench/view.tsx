// Workbench: the views of a session in one frame that never scrolls, with one transport and the selection spelled out on top.
//
// Reader sees  a head, a rail with the selection, and panes (frame/). Python -> browser: `frame`, which says the arrangement, the height
//              in a cell and the panes of a lesson. Browser -> Python: nothing of the layout; the reader's browser remembers it.
import { useSignal } from "@preact/signals";
import { useContext, useEffect, useMemo, useRef } from "preact/hooks";
import { ARRANGEMENTS } from "../../frame/arrangements";
import { Frame } from "../../frame/frame";
import { useLarge } from "../../frame/large";
import { FrameState } from "../../frame/state";
import { AreaButton, StudentButton } from "../../parts/area_button";
import { v } from "../../parts/colour";
import { Icon } from "../../parts/glyphs";
import { NotesButton } from "../../parts/notes";
import { PadContext } from "../../parts/pad";
import { PictureButton } from "../../parts/picture_button";
import { StepSlider } from "../../parts/step_slider";
import { TourButton } from "../../parts/tour_here";
import { Transport } from "../../parts/transport";
import type { Store } from "../../store";
import { hex, int, visible, zLevel } from "../../text";
import { ruleOf, stateName } from "../../trace";
import { MountContext, type PanelProps, Views } from "../../view";
import { outputBytes } from "../chart_view/layout/chart";
import { overviewBins } from "../tape/layout";

const HEIGHT_PX = 720;
const LEAST_HEIGHT_PX = 320;
const MOST_HEIGHT_PX = 4000;
const KEY_PX = 16;
const EDITING = ["grammar_pad", "grammar_views", "example_bench"];

/** All steps in a line: lost mass hangs below it, the cursor stands above it. */
function Scrub({ store, width }: { store: Store; width: number }) {
  const steps = store.link.trace.value?.steps ?? [];
  const cursor = store.step.value?.index ?? 0;
  const bins = useMemo(() => overviewBins(steps, width), [steps, width]);
  if (steps.length === 0) return null;
  const cell = Math.min(12, width / steps.length);
  const each = Math.min(12, width / bins.length);
  const x = (cursor + 0.5) * cell;
  return (
    <StepSlider
      store={store}
      n={steps.length}
      cursor={cursor}
      cls="scrub"
      label="Cursor in the run"
      at={(at) => Math.max(0, Math.min(steps.length - 1, Math.floor(at / cell)))}
    >
      <svg width={width} height="24" aria-hidden="true">
        <rect width={width} height="24" fill="transparent" />
        <path d={`M0 12.5H${bins.length * each}`} stroke={v("rule-strong")} />
        {bins.map((bin, k) => (
          <g key={bin.first}>
            <path d={`M${k * each + each / 2} 10.5v4`} stroke={v("ink-3")} stroke-width="0.8" />
            {bin.lost > 0.015 && (
              <rect
                x={k * each + 1}
                y="13"
                width={Math.max(1, each - 2)}
                height={Math.max(1.5, bin.lost * 10)}
                fill={v(`z-${zLevel(1 - bin.lost)}`)}
              />
            )}
          </g>
        ))}
        <path d={`M${x - 4} 2h8l-4 6Z`} fill={v("select-line")} />
      </svg>
    </StepSlider>
  );
}

/** The whole screen for this widget, where the browser lets it have it. */
function FullScreen() {
  const button = useRef<HTMLButtonElement>(null);
  const isOn = useSignal(false);
  useEffect(() => {
    const changed = () => {
      const host = (button.current?.getRootNode() as ShadowRoot | undefined)?.host;
      isOn.value = host?.matches(":fullscreen") ?? false;
      button.current?.focus({ preventScroll: true });
    };
    const host = (button.current?.getRootNode() as ShadowRoot | undefined)?.host;
    host?.addEventListener("fullscreenchange", changed);
    return () => host?.removeEventListener("fullscreenchange", changed);
  }, [isOn]);
  if (!document.fullscreenEnabled) return null;
  const toggle = (event: MouseEvent) => {
    const { host } = (event.currentTarget as HTMLElement).getRootNode() as ShadowRoot;
    const done = isOn.peek() ? document.exitFullscreen() : host.requestFullscreen();
    done.catch(() => undefined); // the browser has refused: nothing changes
  };
  return (
    <button
      type="button"
      class="ghost icon"
      ref={button}
      aria-pressed={isOn.value}
      aria-label="Full screen"
      title={isOn.value ? "Leave the full screen (esc)" : "Full screen"}
      onClick={toggle}
    >
      <Icon name="screen" />
    </button>
  );
}

/** Begins and ends presenter mode; beside it, what reveals the next pane. */
function Presenting({ store, frame }: { store: Store; frame: FrameState }) {
  const isOn = store.presenting.value;
  return (
    <>
      {isOn && (
        <button
          type="button"
          disabled={frame.coveredNow(store).length === 0}
          title="Reveal the next pane (.); cover the step again (,)"
          onClick={() => frame.uncover(store)}
        >
          reveal<kbd>.</kbd>
        </button>
      )}
      <button
        type="button"
        class="ghost icon"
        aria-pressed={isOn}
        aria-label="Presenter mode"
        title={
          isOn ? "Leave presenter mode (esc)" : "Presenter mode: large type, answers covered until you reveal them (⇧P)"
        }
        onClick={() => {
          store.presenting.value = !isOn;
        }}
      >
        <Icon name="present" />
      </button>
    </>
  );
}

function Head({ store, frame }: { store: Store; frame: FrameState }) {
  const header = store.link.trace.value?.header;
  const steps = store.link.trace.value?.steps.length ?? 0;
  const { w } = frame.size.value;
  const narrow = frame.width.value === "narrow";
  const presenting = store.presenting.value;
  const scrub = presenting ? 0 : w >= 1560 ? 260 : w >= 1100 ? 180 : w >= 960 ? 110 : 0;
  return (
    <div class={w < 480 ? "topbar is-tight" : "topbar"}>
      <b class="name clip">{header?.name}</b>
      {!frame.isLesson && w >= 600 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a box and a legend that a row of buttons has no use for
        <span class="seg arrangements" role="group" aria-label="Arrangement" data-act>
          {ARRANGEMENTS.map((one, k) => (
            <button
              key={one}
              type="button"
              data-arrange={one}
              aria-pressed={frame.arrangement.value === one}
              title={`Arrangement: ${one} (⇧${k + 1})`}
              onClick={() => frame.arrange(one)}
            >
              {`${one[0]?.toUpperCase()}${one.slice(1)}`}
            </button>
          ))}
        </span>
      )}
      {w >= 1560 && header && (
        <span class="facts xs faint">
          {header.model && `${header.model.name}, ${header.model.device}, ${header.model.dtype}, `}
          {int(header.vocab_size)} tokens
        </span>
      )}
      <span class="head-end">
        {scrub > 0 && <Scrub store={store} width={scrub} />}
        <span class="session xs faint">
          {!narrow && (
            <>
              {store.link.line.value === "offline" ? "recorded" : store.link.status.value}
              {", "}
            </>
          )}
          step <b class="ink">{store.step.value?.index ?? 0}</b> of {Math.max(0, steps - 1)}
        </span>
        <Transport store={store} wide={w >= 1100} />
        <span class="head-tools" data-act>
          {presenting && <StudentButton />}
          <Presenting store={store} frame={frame} />
          {!presenting && <AreaButton of="workbench" />}
          {!presenting && <FullScreen />}
          {!frame.isLesson && !narrow && (
            <button
              type="button"
              class="ghost icon"
              data-panes
              aria-haspopup="menu"
              aria-expanded={frame.menu.value !== null && frame.menu.value.of === null}
              aria-label="Panes"
              title="Panes: open what is closed, reset the layout"
              onClick={() => {
                frame.menu.value = { of: null };
              }}
            >
              <Icon name="panes" />
            </button>
          )}
          {!narrow && !presenting && <TourButton store={store} look="ghost" />}
          {!presenting && <PictureButton of=".workbench" name="workbench" />}
          <button
            type="button"
            class="ghost icon keys"
            aria-label="Keys and words"
            title="Keys and words (?)"
            onClick={() => {
              store.helpOpen.value = !store.helpOpen.peek();
            }}
          >
            ?
          </button>
        </span>
      </span>
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
  if (!trace || !step) return <nav class="rail" aria-label="Selection" />;
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
      <span class="rail-parts">
        {parts.map(([name, value]) => (
          <span key={name} class="part">
            <span class="faint">{name}</span> <span class="mono">{value}</span>
          </span>
        ))}
      </span>
      <NotesButton store={store} />
      <Recall store={store} />
    </nav>
  );
}

/** The lower edge of the workbench in a cell: it is dragged, or moved by keys. */
function LowerEdge({ height }: { height: { value: number; peek(): number } }) {
  const from = useRef<{ y: number; height: number } | null>(null);
  const set = (value: number) => {
    height.value = Math.round(Math.max(LEAST_HEIGHT_PX, Math.min(MOST_HEIGHT_PX, value)));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule does not take the focus; this one is moved
    <div
      class="lower-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-valuenow={height.value}
      aria-valuemin={LEAST_HEIGHT_PX}
      aria-valuemax={MOST_HEIGHT_PX}
      aria-label="Height of the workbench"
      title="Drag, or arrow keys: the height of the workbench"
      onKeyDown={(event) => {
        const by = { ArrowUp: -KEY_PX, ArrowDown: KEY_PX }[event.key];
        if (by === undefined || event.shiftKey || event.altKey) return;
        set(height.peek() + by);
        event.preventDefault();
      }}
      onPointerDown={(event) => {
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        from.current = { y: event.clientY, height: height.peek() };
      }}
      onPointerMove={(event) => {
        if (from.current) set(from.current.height + event.clientY - from.current.y);
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onPointerCancel={() => {
        from.current = null;
      }}
    />
  );
}

export function Workbench({ store }: PanelProps) {
  const all = useContext(Views);
  const model = useContext(MountContext);
  const hasPad = useContext(PadContext)?.handle != null;
  const frame = useMemo(() => {
    const views = all.filter(({ name, holdsViews }) => !holdsViews && (hasPad || !EDITING.includes(name)));
    return new FrameState(views, model?.get("frame") ?? null, store.presenting);
  }, [all, model, hasPad, store]);
  const box = useRef<HTMLDivElement>(null);
  useLarge(store.presenting.value, box);
  const height = useSignal(model?.get("frame")?.height ?? HEIGHT_PX);
  useEffect(() => {
    const changed = () => {
      const options = model?.get("frame") ?? null;
      frame.follow(options);
      height.value = options?.height ?? HEIGHT_PX;
    };
    model?.on("change:frame", changed);
    return () => model?.off("change:frame", changed);
  }, [model, frame, height]);
  return (
    <div class="frame workbench" ref={box} style={{ "--frame-height": `${height.value}px` }}>
      <Head store={store} frame={frame} />
      <Rail store={store} />
      <Frame store={store} frame={frame} />
      <LowerEdge height={height} />
    </div>
  );
}
