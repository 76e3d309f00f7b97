// What a tab of the browser remembers while it is reloaded, by a name; a page without storage remembers nothing.
const nameOf = (name: string) => `xg2lab/${name}`;

export function kept(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(name)) ?? "null");
  } catch {
    return null; // a page without storage, or another program's value
  }
}

export function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(nameOf(name), JSON.stringify(value));
  } catch {
    // a page without storage
  }
}

/** Whether this tab meets the n-th request of that name for the first time. It then counts as met. */
export function isNew(name: string, n: number): boolean {
  const met = kept(name);
  if (n <= (typeof met === "number" ? met : 0)) return false;
  keep(name, n);
  return true;
}
