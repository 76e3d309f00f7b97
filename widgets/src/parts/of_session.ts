// State that the views of a session share, and that outlives each of them.
import { type Signal, signal } from "@preact/signals";
import type { Store } from "../store";

/** A signal of each session on the page, by the session's model: each view reads a store of its own. */
export function ofSession<T>(first: T): (store: Store) => Signal<T> {
  const known = new WeakMap<object, Signal<T>>();
  return ({ link }) => {
    const { model } = link.handle;
    const own = known.get(model) ?? signal(first);
    known.set(model, own);
    return own;
  };
}
