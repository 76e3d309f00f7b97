// The button in a view's head that opens the view in another area of the host, or brings it back into its cell.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Area } from "../areas";
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
