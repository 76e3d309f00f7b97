// Graphviz: fetched once a page, on first use, as a binary message; run in a worker; never saved in a notebook.
//
// TRICK  The worker is a classic one that gets the asset's bytes and makes its own blob URL. A module worker, or a blob URL made by
//        the page, fails when the page was opened from disk.
import { gunzip } from "./gzip";
import { page } from "./page";
import { bytesOf, type Channel } from "./rpc";

/** Dot text in, Graphviz's plain format out. Rejects when a layout takes longer than `LAYOUT_MS`. */
export type Layouter = (dot: string) => Promise<string>;
export const LAYOUT_MS = 4000;

const WORKER = `let gv;
const start = async (bytes) => {
  const url = URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
  const module = await import(url);
  URL.revokeObjectURL(url);
  return module.Graphviz.load();
};
onmessage = async ({ data }) => {
  if (data.bytes) { gv = start(data.bytes); gv.then(() => postMessage({ ready: true }), (e) => postMessage({ broken: String(e) })); return; }
  try { postMessage({ id: data.id, plain: (await gv).layout(data.dot, "plain", "dot") }); }
  catch (e) { postMessage({ id: data.id, error: String(e) }); }
};`;

interface Job {
  resolve: (plain: string) => void;
  reject: (error: Error) => void;
}

async function start(channel: Channel): Promise<Layouter> {
  const { content, buffers } = await channel.call("asset", { name: "graphviz" }, 15_000);
  const sent = bytesOf(buffers[0] as DataView).slice();
  page().assets_fetched++;
  const bytes = content.gzip ? await gunzip(sent) : sent;
  const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  const jobs = new Map<number, Job>();
  let next = 0;
  const spawn = (): Promise<Worker> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(url);
      page().workers++;
      worker.onmessage = ({ data }) => {
        if (data.ready) return resolve(worker);
        if (data.broken) return reject(new Error(data.broken));
        const job = jobs.get(data.id);
        jobs.delete(data.id);
        if (data.error) job?.reject(new Error(data.error));
        else job?.resolve(data.plain);
      };
      worker.onerror = (event) => reject(new Error(event.message || "the layout worker did not start"));
      worker.postMessage({ bytes });
    });
  let worker = await spawn();
  return (dot) =>
    new Promise<string>((resolve, reject) => {
      const id = next++;
      const stop = setTimeout(() => {
        worker.terminate();
        for (const job of jobs.values()) job.reject(new Error(`Graphviz was stopped after ${LAYOUT_MS / 1000} s`));
        jobs.clear();
        spawn().then((fresh) => {
          worker = fresh;
        });
      }, LAYOUT_MS);
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(stop);
          then(value);
        };
      jobs.set(id, { resolve: settle(resolve), reject: settle(reject) });
      worker.postMessage({ id, dot });
    });
}

/** The page's one layouter, shared by every view, session, notebook and kernel; a failed start may be tried again. */
export function layouter(channel: Channel): Promise<Layouter> {
  const shared = page();
  if (!shared.layouter) {
    const started = start(channel);
    shared.layouter = started;
    started.catch(() => {
      if (shared.layouter === started) shared.layouter = undefined;
    });
  }
  return shared.layouter;
}
