// A store as one view reads it: every signal of the store as it was at one moment, until the view catches up.
//
// IDEA  A view out of sight may draw late, and must not show half of a change: the step of one moment beside the selection of another.
//       So each signal that the store holds has a copy, found by looking at the store and not by a list of names, and all copies are
//       set together. A signal that is added to the store is gated without a line here.
//
// INVARIANTS
//   I1  between two calls of `catchUp` no copy changes, whatever happens to the store
//   I2  after `catchUp`, and after the view has set a signal itself, every copy equals its original
//
// A getter of the store reads the copies. A method is the store's own: it acts on what is true, not on what the view shows. A signal
// that a method returns is the answer to a question that names its step, and is not copied.
import { batch, type ReadonlySignal, Signal } from "@preact/signals";

/** The copy of one signal. Setting it sets the original, and the view that does so catches up with all else. */
class Copy<T> extends Signal<T> {
  readonly #from: ReadonlySignal<T>;
  readonly #catchUp: () => void;

  constructor(from: ReadonlySignal<T>, catchUp: () => void) {
    super(from.peek());
    this.#from = from;
    this.#catchUp = catchUp;
  }

  override get value(): T {
    return super.value;
  }
  override set value(value: T) {
    batch(() => {
      (this.#from as Signal<T>).value = value;
      this.#catchUp();
    });
  }

  follow(): void {
    super.value = this.#from.peek();
  }
  /** Reads the original, so that an effect runs again when it changes. */
  touch(): void {
    this.#from.value;
  }
}

export interface Gate<T> {
  /** the store as the view reads it */
  own: T;
  /** Set every copy to what its original is now. */
  catchUp: () => void;
  /** Subscribe the running effect to every original. */
  touch: () => void;
}

const holdsSignals = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.values(value).some((held) => held instanceof Signal);

/** Copies of all signals in the fields of `whole`, and in the fields of the objects that it holds. */
export function gated<T extends object>(whole: T): Gate<T> {
  const copies: Copy<unknown>[] = [];
  const catchUp = () => batch(() => copies.forEach((copy) => void copy.follow()));
  const over = <O extends object>(object: O, depth: number): O => {
    const replaced = new Map<PropertyKey, unknown>();
    for (const [key, value] of Object.entries(object)) {
      if (value instanceof Signal) {
        const copy = new Copy(value, catchUp);
        copies.push(copy);
        replaced.set(key, copy);
      } else if (depth > 0 && holdsSignals(value)) replaced.set(key, over(value, depth - 1));
    }
    return new Proxy(object, {
      get(target, key, self) {
        if (replaced.has(key)) return replaced.get(key);
        const value = Reflect.get(target, key, self);
        if (typeof value !== "function" || key === "constructor") return value;
        const bound = value.bind(target);
        replaced.set(key, bound);
        return bound;
      },
    });
  };
  const own = over(whole, 1);
  return { own, catchUp, touch: () => copies.forEach((copy) => void copy.touch()) };
}
