// What the build calls for each node of TSX: see build.mjs. The type checker follows tsconfig.json, which means the same.
// No name of ours has a dollar sign, so nothing hides these.
//
// Whatever a view shows as text passes here, a grammar's, a model's or ours: what is hidden in it,
// or would turn the text around it, is escaped. Values of fields that are edited stay as they are.
import { type Attributes, type ComponentChild, type ComponentType, h } from "preact";
import { escaped } from "./text";

export { Fragment as $Fragment } from "preact";

const SAID = ["title", "aria-label", "aria-description", "aria-valuetext", "alt", "placeholder"];

const shown = (child: unknown): unknown =>
  typeof child === "string" ? escaped(child) : Array.isArray(child) ? child.map(shown) : child;

export function $h(type: string | ComponentType, props: Record<string, unknown> | null, ...children: unknown[]) {
  let own = props;
  for (const name of SAID) {
    const said = props?.[name];
    if (typeof said === "string") own = { ...own, [name]: escaped(said) };
  }
  return h(type as ComponentType, own as Attributes | null, ...(children.map(shown) as ComponentChild[]));
}
