// Code that a saved notebook does without: the editor, as large as all views together and nothing without a kernel; what saves pictures.
//
// A chunk is fetched once a page, on first use, as a binary message. It is a function of the bundle that opens it: it is given the
// bundle's own modules, preact among them, and so draws within the bundle's views. Two kernels on a page share the fetched text, and
// each calls it with its own modules. bundle.ts says what is lent, so that this module imports none of it and no import runs in a circle.
import { gunzip } from "./gzip";
import { page } from "./page";
import { bytesOf, type Channel } from "./rpc";
import { during } from "./settled";

type Chunk = (require: (name: string) => unknown) => unknown;
let lent: Readonly<Record<string, unknown>> = {};
/** Says what chunks are given, by the names under which build.mjs leaves it out of them. */
export function lend(modules: Readonly<Record<string, unknown>>): void {
  lent = modules;
}
const made = new Map<string, Promise<unknown>>();

const urlOf = (code: Uint8Array<ArrayBuffer>) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));

const opened = (url: string): Promise<unknown> => during("a chunk", evaluated(url));
async function evaluated(url: string): Promise<unknown> {
  const { default: chunk } = (await import(url)) as { default: Chunk };
  return chunk((wanted) => lent[wanted]);
}

async function fetched(channel: Channel, name: string): Promise<string> {
  const { content, buffers } = await channel.call("asset", { name }, 15_000);
  const sent = bytesOf(buffers[0] as DataView).slice();
  page().assets_fetched++;
  return urlOf(content.gzip ? await gunzip(sent) : sent);
}

async function load(channel: Channel, name: string): Promise<unknown> {
  const shared = page();
  shared.chunks ??= new Map();
  let url = shared.chunks.get(name);
  if (!url) {
    url = fetched(channel, name);
    shared.chunks.set(name, url);
    url.catch(() => shared.chunks?.delete(name));
  }
  return opened(await url);
}

/** The chunk of that name, made for this bundle; a failed start may be tried again. */
export function chunk<T>(channel: Channel, name: string): Promise<T> {
  let making = made.get(name);
  if (!making) {
    making = load(channel, name);
    made.set(name, making);
    making.catch(() => made.delete(name));
  }
  return making as Promise<T>;
}
