// A saved notebook without its widgets: each view's output holds its facts as text, and a script that hands the output to this one.
// Built on its own, as saved.js.
//
// IDEA
//   A view has two outputs, the widget and this one. JupyterLab saves outputs, and by default no widgets: opened again it writes "model not
//   found" where the widget was. So this output is hidden while a widget shows the view, and draws the recorded view where none does.
//   The bundle stands in one output of the notebook, a session's recording in one; other outputs name them.
//
// A page may hold several notebooks, so nothing is found by an id alone: `data-build` names the bundle, `data-of` the recording.
import { gunzip } from "./gzip";
import { live } from "./live";
import { type Bytes, model, opened, type Recorded, type Recording, recording } from "./recording";
import type { RuntimeApi } from "./runtime_api";

interface Taker {
  push(output: HTMLElement): void;
}
const PARTS_PATIENCE_MS = 10_000;
const WATCH_MS = 2000;
const WIDGET_PATIENCE_MS = 3000;
const page = globalThis as unknown as { xg2lab_saved?: HTMLElement[] | Taker };
const forever = new AbortController().signal; // models live as long as the page

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
/** Base 85, five digits for four bytes, as Python's `b85encode` writes it; ',' for '<', which means something in HTML. */
function bytesOf(text: string): Bytes {
  const value = new Map([...DIGITS].map((digit, k) => [digit, k]));
  const bytes = new Uint8Array(4 * Math.ceil(text.length / 5));
  const view = new DataView(bytes.buffer);
  for (let k = 0; 5 * k < text.length; k++) {
    let word = 0;
    for (let j = 5 * k; j < 5 * k + 5; j++) word = 85 * word + (value.get(text[j] ?? "~") ?? 84);
    view.setUint32(4 * k, word);
  }
  return bytes.slice(0, Math.floor((4 * text.length) / 5));
}

const madeAt = (script: HTMLElement): number => Number(script.dataset.made);

/** A part of a notebook that stands in one of its outputs, the newest of its kind; null: it is not on the page. */
function part(kind: string, data: Record<string, string>): Bytes | null {
  const where = Object.entries(data).map(([name, value]) => `[data-${name}="${CSS.escape(value)}"]`);
  const scripts = [...document.querySelectorAll<HTMLElement>(`script.xg2lab-${kind}${where.join("")}`)];
  const newest = scripts.sort((a, b) => madeAt(a) - madeAt(b)).at(-1);
  return newest ? bytesOf((newest.textContent ?? "").trim()) : null;
}

const bundles = new Map<string, Promise<RuntimeApi>>();
/** The bundle of that build, opened once. */
function bundleOf(build: string): Promise<RuntimeApi> | null {
  const packed = bundles.has(build) ? null : part("code", { build });
  if (packed) bundles.set(build, opened(packed, forever));
  return bundles.get(build) ?? null;
}

interface Kept {
  made: number;
  recording: Promise<Recording>;
}
const recordings = new Map<string, Kept>();
/** The recording in this output, if it has one: when it was made. A session that was displayed again has two. */
const recordedAt = (output: HTMLElement): number => {
  const script = output.parentElement?.querySelector<HTMLElement>("script.xg2lab-recorded");
  return script ? madeAt(script) : Number.NaN;
};

/** The newest recording of that name, shared by all its views. */
function recordingOf(of: string): Promise<Recording> | null {
  const kept = recordings.get(of);
  if (kept) return kept.recording;
  const scripts = document.querySelectorAll<HTMLElement>(`script.xg2lab-recorded[data-of="${CSS.escape(of)}"]`);
  if (scripts.length === 0) return null;
  const made = Math.max(...[...scripts].map(madeAt));
  const recording = read(of, made);
  recordings.set(of, { made, recording });
  return recording;
}

async function read(of: string, made: number): Promise<Recording> {
  const one = (name: string) => part("recorded", { of, part: name, made: `${made}` });
  const values = one("values");
  const recorded: Recorded = { values: values ? JSON.parse(new TextDecoder().decode(await gunzip(values))) : {} };
  for (const name of ["trace", "bulk", "pad"] as const) recorded[name] = one(name);
  return recording(recorded, forever);
}

/** In JupyterLab and Notebook: the whole output, with its margins; elsewhere the element itself. */
const frameOf = (output: HTMLElement) => output.closest<HTMLElement>(".jp-OutputArea-child") ?? output;

/** What stands before the output: where the widget is, if there is one. */
const widgetOf = (output: HTMLElement) => frameOf(output).previousElementSibling as HTMLElement | null;

/** A page that nbconvert made has JupyterLab's outputs and not its settings: no widget will come, but for one of saved state. */
const isPageOfNbconvert = (output: HTMLElement): boolean =>
  frameOf(output) !== output && document.getElementById("jupyter-config-data") === null;

const outputs = new Set<Output>();
class Output {
  readonly #view: string;
  #drawn: AbortController | null = null;
  #isBehind = false;

  constructor(readonly output: HTMLElement) {
    this.#view = output.dataset.view ?? "";
    outputs.add(this);
    const { of = "" } = output.dataset;
    const made = recordedAt(output);
    if (!(made > (recordings.get(of)?.made ?? Number.NEGATIVE_INFINITY))) return;
    // it is the newest: views that were drawn of an older recording are drawn again, and an older one is no longer what is kept
    recordings.delete(of);
    for (const other of outputs) if (other !== this && other.output.dataset.of === of) other.#again();
  }

  #again(): void {
    if (this.#isBehind) this.#show(false);
    if (!this.#drawn) return;
    this.#drawn.abort();
    this.#drawn = null;
    void this.#draw();
  }

  #show(is: boolean): void {
    this.output.hidden = !is;
    frameOf(this.output).style.display = is ? "" : "none";
  }

  /** Hidden once a widget shows the view; drawn once it is sure that none will. */
  follow(): void {
    const { changed, shown } = live();
    const watch = new MutationObserver(() => decide());
    const decide = () => {
      if (shown.has(this.#view)) {
        changed.delete(decide);
        watch.disconnect();
        this.#leave();
        this.#watch(shown.get(this.#view) as () => string | null);
        return;
      }
      const widget = widgetOf(this.output);
      const isLost = /^Error displaying widget/.test(widget?.textContent?.trim() ?? "");
      if (widget && isLost) widget.style.display = "none";
      if (isLost || isPageOfNbconvert(this.output)) void this.#draw();
    };
    changed.add(decide);
    // JupyterLab says when there is no widget to be had; one that is there takes a moment. Other hosts say nothing.
    const beside = frameOf(this.output).parentElement;
    if (beside) watch.observe(beside, { childList: true, subtree: true, characterData: true });
    decide();
    const wait = () => {
      if (!shown.has(this.#view) && !widgetOf(this.output)) void this.#draw();
    };
    setTimeout(wait, WIDGET_PATIENCE_MS);
  }

  /**
   * The kernel renews this output when the session rests, but not after the page was reloaded: JupyterLab no longer knows which output an
   * answer of the kernel belongs to. The session has gone on and this output has not: that is said, since the notebook keeps the old one.
   */
  #watch(cameTo: () => string | null): void {
    if (!this.output.parentElement?.querySelector("script.xg2lab-recorded")) return; // another output holds the recording
    let before: string | null = null;
    const timer = setInterval(() => {
      const now = cameTo();
      const isBehind = now !== null && now !== this.output.dataset.came && now === before;
      before = now;
      if (this.output.isConnected && !isBehind) return;
      clearInterval(timer);
      if (!this.output.isConnected) return;
      const note = document.createElement("small");
      note.textContent =
        "The notebook keeps this view as it was before the page was reloaded. Display it in a new cell to keep it as it is.";
      this.#isBehind = true;
      this.output.replaceChildren(note);
      this.#show(true);
    }, WATCH_MS);
  }

  #leave(): void {
    this.#drawn?.abort();
    this.#drawn = null;
    const widget = widgetOf(this.output);
    if (widget) widget.style.display = "";
    this.#show(false);
  }

  async #draw(): Promise<void> {
    if (this.#drawn || !this.output.isConnected) return;
    const drawn = new AbortController();
    this.#drawn = drawn;
    const found = await this.#found(drawn.signal);
    if (drawn.signal.aborted) return;
    this.#show(true);
    if (!found) return; // the text says what is missing
    const [runtime, { session, pad }] = found;
    const panel = this.output.dataset.kind as string;
    const el = document.createElement("div");
    this.output.replaceChildren(el);
    const margins = this.output.closest<HTMLElement>(".jp-RenderedHTMLCommon");
    if (margins) margins.style.paddingRight = "0"; // as wide as the widget was
    const { frame } = this.output.dataset;
    const traits = { panel, frame: frame ? JSON.parse(frame) : null };
    runtime.mount(panel, session, { model: model(traits), el, signal: drawn.signal }, pad);
  }

  /** Code and recording, which may stand in outputs that the page shows a moment later. */
  async #found(life: AbortSignal): Promise<[RuntimeApi, Recording] | null> {
    const { build = "", of = "" } = this.output.dataset;
    for (let waited = 0; waited < PARTS_PATIENCE_MS && !life.aborted; waited += 250) {
      const [code, recorded] = [bundleOf(build), recordingOf(of)];
      if (code && recorded) return [await code, await recorded];
      await new Promise((go) => setTimeout(go, 250));
    }
    return null;
  }
}

const own = document.currentScript?.closest<HTMLElement>(".jp-OutputArea-child");
if (own) own.style.display = "none"; // the output of the code has nothing to show

// Two notebooks bring this script twice: who came first takes all outputs.
if (Array.isArray(page.xg2lab_saved ?? [])) {
  const waiting = (page.xg2lab_saved ?? []) as HTMLElement[];
  const take = (output: HTMLElement) => new Output(output).follow();
  page.xg2lab_saved = { push: take };
  waiting.forEach(take);
}
