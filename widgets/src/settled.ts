// Whether the page has settled: what was begun has ended, what the kernel had to tell is drawn, and a frame was painted after it.
//
// Whoever begins something that ends later says so with `begin` or `during`: a selection that Python is not told of yet, a request
// without its reply, a push that waits for a frame, a view whose turn has not come, a layout in its worker. Browser tests await
// `settled()` in place of a time; they find it on the page's record (page.ts). See docs/design/0044-settled.md.
import { page, type Settling } from "./page";
import type { Channel } from "./rpc";
import { afterPaint } from "./timing";

const LIMIT_MS = 20_000;

/** Something has begun; the function that is returned says that it has ended, and may be called twice. */
export function begin(what: string): () => void {
  const shared = page();
  shared.underWay ??= new Map();
  const names = shared.underWay;
  names.set(what, (names.get(what) ?? 0) + 1);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    const left = (names.get(what) ?? 1) - 1;
    if (left > 0) names.set(what, left);
    else names.delete(what);
  };
}

/** The same for a promise: what it stands for has ended when it is settled. */
export function during<T>(what: string, work: Promise<T>): Promise<T> {
  const end = begin(what);
  work.then(end, end);
  return work;
}

const shown = new WeakMap<object, number>();
/**
 * A view of that session or pad is on the page until its life ends. JupyterLab keeps the models of a notebook that is closed, so a
 * session that no view shows may have lost its kernel without a word; nobody waits for its answer.
 */
export function shows(model: object, life: AbortSignal): void {
  shown.set(model, (shown.get(model) ?? 0) + 1);
  life.addEventListener("abort", () => shown.set(model, (shown.get(model) ?? 1) - 1), { once: true });
}

/** A kernel that has news for the page: before the page has settled it is asked to tell them. `seq`: the last push that came. */
export function settlesWith(channel: Channel, life: AbortSignal, isLive: () => boolean, seq: () => number): void {
  const shared = page();
  shared.kernels ??= new Set();
  const { kernels } = shared;
  const catchUp = async ({ replay = false }: Settling): Promise<boolean> => {
    if (!isLive() || !shown.get(channel.model)) return false;
    const before = seq();
    const reply = await channel.call("settle", { replay }).catch(() => null);
    return reply !== null && (reply.content.is_busy === true || reply.content.seq !== before);
  };
  kernels.add(catchUp);
  life.addEventListener("abort", () => kernels.delete(catchUp));
}

/** A transition that ends: what is drawn during it has neither the colours before nor those after. */
const isMoving = (root: ShadowRoot): boolean =>
  root
    .getAnimations()
    .some((one) => one.playState === "running" && one.effect?.getComputedTiming().endTime !== Infinity);

/** Until two frames in a row were painted with nothing under way: the first draws, and what that begins shows in the second. */
async function quiet(until: number): Promise<void> {
  for (let n = 0; n < 2; ) {
    await new Promise<void>((resolve) => afterPaint(resolve));
    const names = [...(page().underWay?.keys() ?? [])];
    if ([...(page().roots ?? [])].some(isMoving)) names.push("a transition");
    n = names.length === 0 ? n + 1 : 0;
    if (n === 0 && performance.now() > until) throw new Error(`the page has not settled: ${names.join(", ")}`);
  }
}

/**
 * Resolves when the page has settled; each session's kernel is asked for what it has not told yet, with the steps that were asked for.
 * Rejects after `limitMs` and names what is under way then.
 */
export async function settled(how: Settling = {}): Promise<void> {
  const until = performance.now() + (how.limitMs ?? LIMIT_MS);
  let isNews = true;
  while (isNews) {
    await quiet(until);
    const answers = await Promise.all([...(page().kernels ?? [])].map((catchUp) => catchUp(how)));
    isNews = answers.includes(true);
    if (isNews && performance.now() > until) throw new Error("the page has not settled: a session goes on stepping");
  }
  await quiet(until);
}
