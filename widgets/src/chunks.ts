// Code that not every page needs: fetched once a page, on first use, as a binary message; never saved in a notebook.
//
// A chunk is a function of the bundle that asks for it: it is given the bundle's own modules, preact among them, and so draws within
// the bundle's views. Two kernels on a page share the fetched text, and each calls it with its own modules.
import { CORE } from "./core_modules";
import { gunzip } from "./gzip";
import { page } from "./page";
import { bytesOf, type Channel } from "./rpc";

type Chunk = (require: (name: string) => unknown) => unknown;
const made = new Map<string, Promise<unknown>>();

async function fetched(channel: Channel, name: string): Promise<string> {
  const { content, buffers } = await channel.call("asset", { name }, 15_000);
  const sent = bytesOf(buffers[0] as DataView).slice();
  page().assets_fetched++;
  const bytes = content.gzip ? await gunzip(sent) : sent;
  return URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
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
  const { default: chunk } = (await import(await url)) as { default: Chunk };
  return chunk((wanted) => CORE[wanted]);
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
