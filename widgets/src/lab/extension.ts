// The extension of JupyterLab: views in tabs and in the right sidebar, a card of the Launcher, commands of the palette. Built on its own.
//
// JupyterLab loads the script from share/jupyter/labextensions and finds a container of module federation, `_JUPYTERLAB.xg2lab`: `init`
// is given the page's shared packages, `get` returns the plugin. The views themselves are drawn by the bundle that comes from the kernel
// (areas.ts). So the extension has no code of views, and works with bundles of other versions that know the record of areas.ts.
//
// Notebook 7 loads the same script. It has no areas: there the plugin does nothing. See docs/design/0052-lab-extension.md.
import { offersAreas } from "../areas";
import { addCommands } from "./commands";
import type { Launcher, NotebookTracker, Palette, Plugin, Shell, WidgetClass } from "./jupyterlab";
import { packageOf, type ShareScope } from "./shared";
import { tabs } from "./tabs";

type IconClass = new (of: { name: string; svgstr: string }) => { svgstr: string };

/** A token mask: a step's allowed tokens among all. JupyterLab's classes give it the theme's colour. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16"><g class="jp-icon3" fill="#616161">
<path d="M2 2h3v3H2zM6.5 6.5h3v3h-3zM11 2h3v3h-3zM6.5 11h3v3h-3z"/>
<path opacity=".35" d="M6.5 2h3v3h-3zM2 6.5h3v3H2zM11 6.5h3v3h-3zM2 11h3v3H2zM11 11h3v3h-3z"/></g></svg>`;

interface Services {
  shell: Shell;
  notebooks: NotebookTracker;
  palette: Palette;
  launcher: Launcher;
}

async function plugin(scope: ShareScope): Promise<Plugin> {
  const { ILabShell } = await packageOf<{ ILabShell: unknown }>(scope, "@jupyterlab/application");
  const { INotebookTracker } = await packageOf<{ INotebookTracker: unknown }>(scope, "@jupyterlab/notebook");
  const { ICommandPalette } = await packageOf<{ ICommandPalette: unknown }>(scope, "@jupyterlab/apputils");
  const { ILauncher } = await packageOf<{ ILauncher: unknown }>(scope, "@jupyterlab/launcher");
  const { Widget } = await packageOf<{ Widget: WidgetClass }>(scope, "@lumino/widgets");
  const { LabIcon } = await packageOf<{ LabIcon: IconClass }>(scope, "@jupyterlab/ui-components");
  const tokens = { shell: ILabShell, notebooks: INotebookTracker, palette: ICommandPalette, launcher: ILauncher };
  const known = Object.entries(tokens).filter(([, token]) => token !== undefined);
  return {
    id: "xg2lab:plugin",
    description: "Shows xg2lab's views in tabs and in the right sidebar",
    autoStart: true,
    optional: known.map(([, token]) => token),
    activate(app, ...services) {
      const given: Partial<Services> = Object.fromEntries(known.map(([name], k) => [name, services[k] ?? undefined]));
      if (!given.shell || !Widget || !LabIcon) return;
      const icon = new LabIcon({ name: "xg2lab:mask", svgstr: ICON });
      offersAreas(tabs(given.shell, given.notebooks ?? null, Widget, icon, app.serviceManager.serverSettings.baseUrl));
      addCommands(app, given.notebooks ?? null, given.palette ?? null, given.launcher ?? null, icon);
    },
  };
}

let scope: ShareScope = {};
const container = {
  init(shared: ShareScope): void {
    scope = shared;
  },
  async get(module: string): Promise<() => unknown> {
    if (module !== "./extension") throw new Error(`xg2lab has no module ${module}`);
    const exported = { __esModule: true, default: await plugin(scope) };
    return () => exported;
  },
};
const page = globalThis as unknown as { _JUPYTERLAB?: Record<string, unknown> };
page._JUPYTERLAB ??= {};
page._JUPYTERLAB.xg2lab = container;
