// A view in its cell: while an area of the host shows the view, a line that says where it is. A single view in a tab is one pane, as high as
// the tab.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Area } from "../areas";
import type { View } from "../view";
import { AreaButton, Whereabouts } from "./area_button";
import { type Pane, PaneContext } from "./pane";
import { Notice } from "./small";

const NAMES: Record<Area, string> = { tab: "a tab of its own", right: "the right sidebar" };

interface Props {
  view: View;
  children: ComponentChildren;
}

/** The view alone in its tab: it draws as in a maximised pane of the workbench. */
function Alone({ view: { name, title }, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSignal([0, 0] as readonly [number, number]);
  const [width, height] = size.value;
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([at]) => {
      if (!at) return;
      const { inlineSize: w = 0, blockSize: h = 0 } = at.contentBoxSize[0] ?? {};
      if (h > 0) size.value = [Math.floor(w), Math.floor(h)]; // a tab behind another has no size: the view stays as it was
    });
    watch.observe(box.current as Element);
    return () => watch.disconnect();
  }, [size]);
  const pane = useMemo(
    (): Pane => ({
      start: <h2>{title}</h2>,
      end: (
        <span class="pane-ends">
          <AreaButton of={name} />
        </span>
      ),
      width,
      height,
    }),
    [name, title, width, height],
  );
  return (
    <div class="pane is-alone" ref={box} style={{ "--pane-height": `${height}px` }}>
      {height > 0 && <PaneContext.Provider value={pane}>{children}</PaneContext.Provider>}
    </div>
  );
}

/** The view, or the line. */
export function InCell({ view, children }: Props) {
  const where = useContext(Whereabouts);
  if (where?.here === "tab" && !view.holdsViews) return <Alone view={view}>{children}</Alone>;
  if (!where || where.here) return children;
  const { of } = where;
  const area = of.area.value;
  if (area)
    return (
      <div class="elsewhere" data-elsewhere={area}>
        <span>
          {view.title} is open in {NAMES[area]}.
        </span>
        <button type="button" class="ghost" onClick={() => of.open(area)}>
          bring to front
        </button>
        <button type="button" class="ghost" onClick={() => of.close()}>
          show here
        </button>
      </div>
    );
  return (
    <>
      {of.isRefused.value && (
        <Notice level="hint" more="pip install xg2lab where JupyterLab runs, then reload the page.">
          This page has no tabs for views. JupyterLab has, with xg2lab installed beside it.
        </Notice>
      )}
      {children}
    </>
  );
}
