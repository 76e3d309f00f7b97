// What JupyterLab's Launcher and its command palette offer: a notebook with a workbench, and the notebook's view in a tab or the sidebar.
import { type Area, areas, type Offer } from "../areas";
import type { App, Launcher, NotebookPanel, NotebookTracker, Palette } from "./jupyterlab";

const CATEGORY = "xg2lab";

/** The cells of the new notebook: the model that ships, a session, the workbench. */
export const CELLS: readonly string[] = [
  `import xg2lab as xgr
from xg2lab.tiny import example_requests, grammar_for, prompt

model = xgr.ModelRunner.tiny()  # a few megabytes that ship with xg2lab`,
  `request = example_requests("qwen")[0]
session = xgr.Session(grammar_for("qwen"), model=model, prompt=prompt(request, "qwen"), seed=8)
request`,
  `from xg2lab.widgets import Workbench

Workbench(session)  # → steps, ? lists the keys; Workbench(session).open("tab") gives it a tab of its own`,
];

/** The view that is meant: the one with the focus, else the notebook's workbench, else its last view. */
export function offered(offers: Iterable<Offer>, notebook: HTMLElement | null): Offer | null {
  const here = [...offers].filter(({ cell }) => notebook?.contains(cell));
  const focused = here.find(({ cell }) => cell.contains(document.activeElement));
  return focused ?? here.find(({ panel }) => panel === "workbench") ?? here.at(-1) ?? null;
}

async function newNotebook(app: App, cwd: string | undefined): Promise<void> {
  const kernelName = app.serviceManager.kernelspecs.specs?.default;
  const panel = await app.commands.execute<NotebookPanel>("notebook:create-new", {
    ...(cwd === undefined ? {} : { cwd }),
    ...(kernelName === undefined ? {} : { kernelName }),
  });
  await Promise.all([panel.context.ready, panel.sessionContext.ready]);
  const cells = panel.content.model?.sharedModel;
  if (!cells) return;
  cells.insertCells(
    0,
    CELLS.map((source) => ({ cell_type: "code", source })),
  );
  cells.deleteCellRange(CELLS.length, cells.cells.length);
  await app.commands.execute("notebook:run-all-cells");
}

export function addCommands(
  app: App,
  notebooks: NotebookTracker | null,
  palette: Palette | null,
  launcher: Launcher | null,
  icon: { svgstr: string },
): void {
  const { commands } = app;
  const meant = () => offered(areas().offers, notebooks?.currentWidget?.node ?? null);
  const open = (id: string, area: Area, where: string) => {
    commands.addCommand(id, {
      label: `Open the View in ${where}`,
      caption: "The notebook's xg2lab view: the one with the focus, else its workbench",
      icon,
      isEnabled: () => meant() !== null,
      execute: () => meant()?.open(area),
    });
    const changed = () => commands.notifyCommandChanged(id);
    areas().changed.add(changed);
    notebooks?.currentChanged.connect(changed);
    palette?.addItem({ command: id, category: CATEGORY });
  };
  commands.addCommand("xg2lab:new-workbench", {
    label: "xg2lab workbench",
    caption: "A notebook with a small model, a session and its workbench",
    icon,
    execute: ({ cwd }) => newNotebook(app, cwd),
  });
  palette?.addItem({ command: "xg2lab:new-workbench", category: CATEGORY });
  // In the Launcher's section of notebooks a card has the picture of its kernel, by an address: no theme's colour reaches it.
  const card = icon.svgstr.replace(/fill="#\w+"/, 'fill="#0a9a76"');
  const kernelIconUrl = `data:image/svg+xml,${encodeURIComponent(card)}`;
  launcher?.add({ command: "xg2lab:new-workbench", category: "Notebook", rank: 1000, kernelIconUrl });
  const address = () => {
    const view = meant();
    return view?.session ? (areas().host?.studentPage?.(view.cell, view.session) ?? null) : null;
  };
  const follow = "xg2lab:student-page";
  commands.addCommand(follow, {
    label: "Open a Student Page of the Session",
    caption:
      "A page that follows the session's selection and steps, and changes nothing: its address is for your class",
    icon,
    isEnabled: () => address() !== null,
    execute: () => window.open(address() ?? "", "_blank"),
  });
  areas().changed.add(() => commands.notifyCommandChanged(follow));
  palette?.addItem({ command: follow, category: CATEGORY });
  open("xg2lab:open-in-tab", "tab", "a Tab");
  open("xg2lab:open-in-sidebar", "right", "the Right Sidebar");
}
