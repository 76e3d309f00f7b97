// The button in a view's head that opens the view in another area of the host, or brings it back into its cell.
import { useSignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Area } from "../areas";
import { copyText } from "../clipboard";
import { type Elsewhere, hasAreas } from "../elsewhere";
import { Icon } from "./glyphs";

export interface Where {
  of: Elsewhere;
  /** the mounted view, by its name: views inside it have no button of their own */
  name: string;
  /** where this drawing of the view is: in an area, or in a cell */
  here: Area | null;
}
/** Null where a view has no other place: on an exported page, in a saved output. */
export const Whereabouts = createContext<Where | null>(null);

/** Copies the address of the page for students, where the host serves one. */
export function StudentButton() {
  const where = useContext(Whereabouts);
  const copied = useSignal(false);
  if (!hasAreas().value || !where?.of.studentPage()) return null;
  const copy = async () => {
    const address = new URL(where.of.studentPage() ?? "", location.href).href;
    copied.value = await copyText(address);
    if (copied.value)
      setTimeout(() => {
        copied.value = false;
      }, COPIED_MS);
    else window.open(address, "_blank"); // its address can be copied there
  };
  return (
    <button type="button" class="ghost" title="Copy the address of a page that follows this session" onClick={copy}>
      {copied.value ? "copied" : "student page"}
    </button>
  );
}
const COPIED_MS = 2000;

/** Opens the view in a tab; in an area, brings it back into its cell. */
export function AreaButton({ of: name }: { of: string }) {
  const where = useContext(Whereabouts);
  const has = hasAreas().value;
  if (!where || where.name !== name || !(where.here || has)) return null;
  const what = where.here ? "Show in the cell again" : "Open in a tab";
  return (
    <button
      type="button"
      class="ghost icon"
      title={what}
      aria-label={what}
      data-area={where.here ? "cell" : "tab"}
      onClick={() => (where.here ? where.of.close() : where.of.open("tab"))}
    >
      <Icon name={where.here ? "into" : "out"} />
    </button>
  );
}
