// A part that is drawn anew only when one of its props is another value.
//
// A selection touches a few marks of a drawing that has hundreds of nodes: what is not touched must cost one comparison.
import { Component, type ComponentChild, type ComponentType } from "preact";

const alike = (a: object, b: object): boolean => {
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in left) if (!(key in right)) return false;
  for (const key in right) if (!Object.is(left[key], right[key])) return false;
  return true;
};

/** For views that read their props alone: no signal, no hook. Pass numbers, strings, and objects that stay the same. */
export function memo<P extends object>(view: (props: P) => ComponentChild): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !alike(this.props, next);
    }
    override render(): ComponentChild {
      return view(this.props);
    }
  };
}
