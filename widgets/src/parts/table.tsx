// A table with its head: what each table twin is. It scrolls in a box of its own, which keys reach.
import type { ComponentChildren } from "preact";

interface TableProps {
  /** names of the columns; one that begins with # is of numbers, one in brackets is only read out */
  heads: readonly string[];
  children: ComponentChildren;
  /** what the box is called, where it is a place of its own */
  label?: string;
  caption?: ComponentChildren;
  more?: ComponentChildren;
  cls?: string;
  box?: string;
}
export const Table = ({ heads, children, label, caption, more, cls = "", box = "" }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
  <section class={`scroll ${box}`} tabIndex={0} aria-label={label}>
    <table class={`table ${cls}`}>
      {caption && <caption class="xs faint">{caption}</caption>}
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col" class={head[0] === "#" ? "num" : ""}>
              {head[0] === "(" ? <span class="unseen">{head.slice(1, -1)}</span> : head.replace("#", "")}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
    {more}
  </section>
);
