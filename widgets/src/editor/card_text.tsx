// A card's Markdown as elements: code, bold, emphasis, blocks of code, lists. What the kernel writes has nothing else.
import type { ComponentChildren } from "preact";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*/g;

function inline(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    out.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[1]) out.push(<code>{found[1]}</code>);
    else if (found[2]) out.push(<b>{found[2]}</b>);
    else out.push(<em>{found[3]}</em>);
  }
  return [...out, text.slice(at)];
}

function block(text: string): ComponentChildren {
  const lines = text.split("\n");
  if (lines.every((line) => line.startsWith("- ")))
    return (
      <ul>
        {lines.map((line) => (
          <li key={line}>{inline(line.slice(2))}</li>
        ))}
      </ul>
    );
  return <p>{inline(text)}</p>;
}

/** Blocks of code are apart from their text by no blank line: "**lowered**" stands right before its block. */
export function CardText({ text }: { text: string }) {
  const parts = text.split(/```\w*\n([\s\S]*?)\n```/);
  return (
    <div class="card-text">
      {parts.map((part, k) =>
        k % 2 ? (
          <pre key={k}>{part}</pre>
        ) : (
          part
            .split("\n\n")
            .map((one) => one.trim())
            .filter(Boolean)
            .map(block)
        ),
      )}
    </div>
  );
}
