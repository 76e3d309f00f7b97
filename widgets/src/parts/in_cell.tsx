// A view in its cell: while an area of the host shows the view, a line that says where it is.
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { Area } from "../areas";
import { Whereabouts } from "./area_button";
import { Notice } from "./small";

const NAMES: Record<Area, string> = { tab: "a tab of its own", right: "the right sidebar" };

/** The view, or the line. */
export function InCell({ title, children }: { title: string; children: ComponentChildren }) {
  const where = useContext(Whereabouts);
  if (!where || where.here) return children;
  const { of } = where;
  const area = of.area.value;
  if (area)
    return (
      <div class="elsewhere" data-elsewhere={area}>
        <span>
          {title} is open in {NAMES[area]}.
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
