// JupyterLab's packages, as its page shares them. The protocol is that of webpack's module federation: the page hands each extension a
// table of packages, by name and version, each with a function that gives the module. So the extension holds no copy of any of them.
export interface Shared {
  /** resolves to a function that gives the module */
  get(): Promise<() => unknown>;
  /** whether the page uses this copy already */
  loaded?: boolean | 1;
}
export type ShareScope = Record<string, Record<string, Shared> | undefined>;

const numbers = (version: string) => (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
const isNewer = (a: string, b: string): boolean => {
  const [x, y] = [numbers(a), numbers(b)];
  const at = x.findIndex((part, k) => part !== y[k]);
  return at >= 0 && (x[at] ?? 0) > (y[at] ?? 0);
};

/** The copy of a package that the page runs: one that is loaded, else the newest. */
export function chosen(versions: Record<string, Shared>): Shared | undefined {
  const names = Object.keys(versions);
  const loaded = names.filter((name) => versions[name]?.loaded);
  const [first, ...others] = loaded.length > 0 ? loaded : names;
  if (first === undefined) return undefined;
  return versions[others.reduce((best, name) => (isNewer(name, best) ? name : best), first)];
}

/** A package; empty where the page shares none of that name, as Notebook 7 has no Launcher. */
export async function packageOf<T>(scope: ShareScope, name: string): Promise<Partial<T>> {
  const found = chosen(scope[name] ?? {});
  return found ? ((await found.get())() as T) : {};
}
