// As much of JupyterLab as the extension uses. Its own types are in a hundred packages, of which we would install all for these lines;
// tests/ui/test_lab_extension.py runs the extension in a real JupyterLab.
export interface Signal {
  connect(slot: () => void): void;
}
/** `@lumino/widgets`: Widget. */
export interface Widget {
  id: string;
  readonly node: HTMLElement;
  readonly title: { label: string; caption: string; icon: unknown; closable: boolean };
  readonly isDisposed: boolean;
  readonly disposed: Signal;
  addClass(name: string): void;
  dispose(): void;
}
export type WidgetClass = new () => Widget;

/** `@jupyterlab/notebook`: NotebookPanel. */
export interface NotebookPanel extends Widget {
  readonly context: { readonly ready: Promise<void> };
  readonly sessionContext: {
    readonly ready: Promise<void>;
    readonly session: { readonly kernel: { readonly id: string } | null } | null;
  };
  readonly content: { readonly model: { readonly sharedModel: SharedNotebook } | null };
}
interface SharedNotebook {
  readonly cells: readonly unknown[];
  deleteCellRange(from: number, to: number): void;
  insertCells(at: number, cells: readonly { cell_type: string; source: string }[]): void;
}
export interface NotebookTracker {
  readonly currentWidget: NotebookPanel | null;
  readonly currentChanged: Signal;
  find(is: (panel: NotebookPanel) => boolean): NotebookPanel | undefined;
}

/** `@jupyterlab/application`: LabShell. */
export interface Shell {
  add(
    widget: Widget,
    area: "main" | "right",
    options?: { mode?: string; ref?: string | null; activate?: boolean },
  ): void;
  activateById(id: string): void;
}
export interface App {
  readonly commands: {
    addCommand(id: string, command: Command): void;
    execute<T>(id: string, args?: Record<string, unknown>): Promise<T>;
    notifyCommandChanged(id: string): void;
  };
  readonly serviceManager: {
    readonly serverSettings: { readonly baseUrl: string };
    readonly kernelspecs: { readonly specs: { readonly default: string } | null };
  };
}
interface Command {
  label: string;
  caption?: string;
  icon?: unknown;
  isEnabled?: () => boolean;
  execute(args: { cwd?: string }): unknown;
}
export interface Palette {
  addItem(item: { command: string; category: string }): void;
}
export interface Launcher {
  add(item: { command: string; category: string; rank?: number; kernelIconUrl?: string }): void;
}
export interface Plugin {
  id: string;
  description: string;
  autoStart: boolean;
  optional: unknown[];
  activate(app: App, ...services: unknown[]): void;
}
