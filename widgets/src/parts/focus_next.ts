// Moves the focus to an element that exists only after the next drawing: the head of the picked tab, the row after a deleted one.
//
// The element gets the focus in the same turn in which it is drawn. A frame later the focus would have been at the panel meanwhile
// (focus.ts gives it back when the old element goes), and a key that was pressed in between would have meant the panel's command.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** A function to call beside the change: once the component is drawn again, what `find` names then has the focus. */
export function useFocusNext(find: () => HTMLElement | null | undefined): () => void {
  const asked = useSignal(0);
  const times = asked.value;
  useLayoutEffect(() => {
    if (times > 0) find()?.focus();
  }, [times]);
  return () => {
    asked.value = asked.peek() + 1;
  };
}
