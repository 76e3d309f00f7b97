// Explanations: from the trace when they were recorded, else asked of the kernel, once.
//
// A question that failed is asked again when something is selected or a kernel comes back. Asked again at once, a dead line would
// be asked without end.
import { type Signal, signal } from "@preact/signals";
import type { Link } from "./link";
import { page } from "./page";
import { KernelError } from "./rpc";
import type { Explanation, Step, WireError } from "./wire";

export type Answer = { state: "asking" } | { state: "ready"; value: Explanation } | { state: "failed"; error: Refused };
/** Something to explain: a token by id, or text or bytes that were typed. */
export type Subject = { token: number } | { text: string } | { bytes: string };

/** An error, and lines of Python that answer the question where a kernel is. */
export interface Refused extends WireError {
  lines?: readonly string[];
}

export const errorOf = (error: unknown): WireError =>
  error instanceof KernelError
    ? { type: error.type, message: error.message, hint: error.hint }
    : { type: "OfflineError", message: (error as Error).message };

/** What was not recorded and needs a kernel: where to find one, and the lines of Python that answer there. */
export function notRecorded(what: string, ...lines: readonly string[]): Refused {
  const { isRecording, isFollowing } = page();
  const where = isRecording
    ? "This page is a recording: run the notebook that made it"
    : isFollowing
      ? "Run the notebook in a kernel of your own"
      : "Choose a kernel and run the cell";
  return {
    type: "OfflineError",
    message: `${what} was not recorded, and ${isFollowing ? "a student page only reads" : "no kernel answers"}.`,
    hint: lines.length > 0 ? `${where}, then these lines:` : `${where}.`,
    lines,
  };
}

/** A string of Python. JSON's escapes are Python's. */
export const python = (text: string): string => JSON.stringify(text);

function explainingLines({ index }: Step, subject: Subject): string[] {
  const asked =
    "token" in subject
      ? `${subject.token}`
      : "text" in subject
        ? python(subject.text)
        : `bytes.fromhex("${subject.bytes}")`;
  return [`why = session.explain(${asked}, ${index})`, 'print(why["reason"])'];
}

export class Answers {
  readonly #link: Link;
  readonly #known = new Map<string, Signal<Answer>>();
  readonly #failed = new Set<string>();

  constructor(link: Link) {
    this.#link = link;
  }

  /** What failed may be asked again. */
  askAgain(): void {
    for (const key of this.#failed) this.#known.delete(key);
    this.#failed.clear();
  }

  /** Answers belong to a history: a step that was taken back has others. */
  forget(lastStep: number): void {
    this.askAgain();
    for (const key of this.#known.keys()) if (Number(key.split(":", 1)[0]) >= lastStep) this.#known.delete(key);
  }

  of(step: Step, subject: Subject): Signal<Answer> {
    const key = `${step.index}:${JSON.stringify(subject)}`;
    let answer = this.#known.get(key);
    if (answer) return answer;
    const now = this.#atOnce(step, subject);
    answer = signal<Answer>(now);
    this.#known.set(key, answer);
    if (now.state === "failed") this.#failed.add(key);
    if (now.state === "asking") this.#ask(key, answer, step, subject);
    return answer;
  }

  #atOnce(step: Step, subject: Subject): Answer {
    const recorded = "token" in subject ? step.explain[subject.token] : undefined;
    if (recorded) return { state: "ready", value: recorded };
    const line = this.#link.line.peek();
    if (line !== "offline" && line !== "closed") return { state: "asking" };
    if (line === "closed")
      return { state: "failed", error: { type: "OfflineError", message: "the session is closed" } };
    return { state: "failed", error: notRecorded("This explanation", ...explainingLines(step, subject)) };
  }

  #ask(key: string, answer: Signal<Answer>, step: Step, subject: Subject): void {
    this.#link.channel.call("explain", { step: step.index, ...subject }).then(
      ({ content }) => {
        answer.value = { state: "ready", value: content.explanation };
      },
      (error: unknown) => {
        this.#failed.add(key);
        answer.value = { state: "failed", error: errorOf(error) };
      },
    );
  }
}
