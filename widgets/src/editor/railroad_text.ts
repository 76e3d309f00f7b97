// A railroad in words, for readers who do not see the drawing.
import type { Track } from "../wire";

export function trackText(track: Track): string {
  const parts = (track.parts ?? []).map(trackText);
  switch (track.kind) {
    case "sequence":
      return parts.join(", then ") || "nothing";
    case "choice":
      return `one of (${parts.join("; ")})`;
    case "optional":
      return `(${parts[0]}, or nothing)`;
    case "repeat":
      return `(${parts[0]}) ${track.text}`;
    default:
      return track.text ?? "";
  }
}
