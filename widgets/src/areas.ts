// Where a host can show a view beside the view's cell: in a tab of JupyterLab's main area, or in its right sidebar.
//
// JupyterLab's extension (src/lab/) opens such tabs; the bundle of each kernel draws into them. The two are built apart and may come in
// any order, so they meet in one record of the page, which is made by whoever comes first. Hosts without the extension have no `host`.
import type { Area } from "./wire";

export type { Area };

/** A view that is to be opened in an area. */
export interface Opening {
  /** names the view on this page: a view that is open already only comes to front */
  view: string;
  /** equal for views that replace each other, as after a kernel was restarted and the cells have run again */
  key: string;
  title: string;
  area: Area;
  /** the view's box in its cell, which tells the notebook */
  cell: HTMLElement;
  /** whether the area comes to front and takes the focus; a reloaded page restores its tabs without that */
  inFront: boolean;
  /** whether a kernel still answers the view */
  isLive(): boolean;
  /** draws the view into the box until the life ends: the tab was closed, or its notebook */
  draw(box: HTMLElement, life: AbortSignal): void;
}
/** What JupyterLab's extension offers. */
export interface Host {
  open(opening: Opening): void;
  close(view: string): void;
  /** the address of a page that follows the session of a view in that cell; null: its notebook has no kernel. Absent in older extensions */
  studentPage?(cell: HTMLElement, session: string): string | null;
}
/** A view in a cell that could be opened elsewhere: commands of the host choose among them. */
export interface Offer {
  cell: HTMLElement;
  panel: string;
  /** the name of its session's model; null: a view of a pad alone. Absent in older bundles */
  session?: string | null;
  open(area: Area): void;
}
export interface Areas {
  host: Host | null;
  offers: Set<Offer>;
  /** called when the host or the offers have changed */
  changed: Set<() => void>;
}

const KEY = Symbol.for("xg2lab/areas/1");
const scope = globalThis as unknown as Record<symbol, Areas | undefined>;
/** The page's one record. */
export function areas(): Areas {
  scope[KEY] ??= { host: null, offers: new Set(), changed: new Set() };
  return scope[KEY];
}

function tell(): void {
  for (const listener of [...areas().changed]) listener();
}

/** The host's extension is there. */
export function offersAreas(host: Host): void {
  areas().host = host;
  tell();
}

/** A view in a cell can be opened elsewhere, until its life ends. */
export function offer(made: Offer, life: AbortSignal): void {
  const { offers } = areas();
  offers.add(made);
  tell();
  life.addEventListener(
    "abort",
    () => {
      offers.delete(made);
      tell();
    },
    { once: true },
  );
}
