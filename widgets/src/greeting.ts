// Whether a kernel answers for a widget's model: each session and each pad on the page has to know.
//
// The page greets the kernel at the start and whenever its line to the kernel is back. A kernel that
// answers later than a greeting waits was busy, not gone: the page greets it again at its next message.
import type { AnyModel } from "@anywidget/types";
import type { Signal } from "@preact/signals";
import type { Channel, Reply } from "./rpc";
import type { SessionRequests } from "./wire";

export type Line = "unknown" | "live" | "offline" | "closed";

const GREETING_MS = 4000; // then a reader is told that no kernel answers

interface Greets<Content> {
  // biome-ignore lint/suspicious/noExplicitAny: models of every shape are greeted; AnyModel is invariant
  model: AnyModel<any>;
  life: AbortSignal;
  channel: Pick<Channel<SessionRequests>, "pushes" | "late">;
  /** what is known of the kernel; the greeting keeps it true, but for "live", which is set by `greeted` */
  line: Signal<Line>;
  call: (timeoutMs: number) => Promise<Reply<Content>>;
  /** takes the kernel's answer */
  greeted: (reply: Reply<Content>) => Promise<void>;
}

/** Greets as long as the model lives; the function that is returned greets now. */
export function greets<Content>({ model, life, channel, line, call, greeted }: Greets<Content>): () => Promise<void> {
  let underWay = 0;
  const greet = async () => {
    const ended = () => {
      underWay--;
    };
    underWay++;
    try {
      const replied = call(GREETING_MS);
      replied.then(ended, ended);
      await replied.then(greeted); // at once: the kernel's next message may be there already
    } catch {
      if (line.peek() !== "closed") line.value = "offline";
    }
  };
  const again = () => void greet();
  const heard = () => {
    if (line.peek() === "offline" && underWay === 0) again();
  };
  channel.pushes.add(heard);
  channel.late.add(heard);
  model.on("comm_live_update", again);
  life.addEventListener("abort", () => {
    channel.pushes.delete(heard);
    channel.late.delete(heard);
    model.off("comm_live_update", again);
    line.value = "closed";
  });
  return greet;
}
