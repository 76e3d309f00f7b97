// A line from a page without JupyterLab to a kernel of its server: Jupyter's messages over the server's web socket.
//
// The page asks for the state of all widgets, and then hears what the kernel tells every page. A kernel answers all pages at once, so a
// class that opens the page together need not ask thirty times: each page waits a moment, and takes the answer to another page's question.

/** The state of a widget, with its buffers in their places. */
export type Traits = Record<string, unknown>;
export interface Heard {
  /** all widgets that there are */
  states(states: ReadonlyMap<string, Traits>): void;
  opened(id: string, traits: Traits): void;
  updated(id: string, traits: Traits): void;
  custom(id: string, content: Record<string, unknown>, buffers: DataView[]): void;
  closed(id: string): void;
  /** the line is lost; it is tried again after so many seconds */
  lost(seconds: number): void;
}
interface Message {
  header: { msg_type: string };
  content: {
    comm_id?: string;
    subshell_id?: string;
    data?: { method?: string; content?: Record<string, unknown> | null } & Record<string, unknown>;
  };
  buffers: DataView[];
}

/** Longest wait before the page asks for what another page may ask for as well. */
const TOGETHER_MS = 1500;
const FIRST_RETRY_S = 1;
const LAST_RETRY_S = 30;

/** A message of the web socket: text, or a count, that many offsets, the text, and the buffers. */
export function received(data: string | ArrayBuffer): Message {
  if (typeof data === "string") return { ...JSON.parse(data), buffers: [] };
  const view = new DataView(data);
  const offsets = Array.from({ length: view.getUint32(0) }, (_, k) => view.getUint32(4 * (k + 1)));
  const part = (k: number) => data.slice(offsets[k] as number, offsets[k + 1] ?? data.byteLength);
  const buffers = offsets.slice(1).map((_, k) => new DataView(part(k + 1)));
  return { ...JSON.parse(new TextDecoder().decode(part(0))), buffers };
}

type Path = readonly (string | number)[];
/** Puts buffers where they belong. */
export function placed(traits: Traits, paths: readonly Path[], buffers: readonly (DataView | undefined)[]): Traits {
  paths.forEach((path, k) => {
    const owner = path.slice(0, -1).reduce((at, name) => at[name] as Traits, traits);
    owner[path.at(-1) as string] = buffers[k];
  });
  return traits;
}

interface Stated {
  state: Traits;
  buffers?: { path: Path; encoding: "base64"; data: string }[];
}
/** The answer to `request_states`: buffers stand beside the states, by number. */
function statesOf(told: Record<string, Stated>, paths: readonly Path[], buffers: readonly DataView[]) {
  placed(told as unknown as Traits, paths, buffers);
  return new Map(Object.entries(told).map(([id, { state }]) => [id, state]));
}

export class KernelLine {
  readonly #session = crypto.randomUUID();
  readonly #control = crypto.randomUUID();
  #socket: WebSocket | null = null;
  #subshell: string | undefined;
  #told = 0;
  #retry = FIRST_RETRY_S;
  #asking = 0;

  constructor(
    readonly address: URL,
    readonly heard: Heard,
  ) {
    address.searchParams.set("session_id", this.#session);
    addEventListener("pagehide", () => {
      if (this.#subshell) this.#send("delete_subshell_request", { subshell_id: this.#subshell }, "control");
      this.#subshell = undefined; // what the page says after this goes to the kernel's own thread
    });
    this.#connect();
  }

  #connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => this.#take(received(data));
    socket.onopen = () => {
      this.#socket = socket;
      this.#retry = FIRST_RETRY_S;
      this.#subshell = undefined;
      // as in JupyterLab: questions go to a thread of their own, so they are answered while a cell runs
      this.#send("create_subshell_request", {}, "control");
      this.#asking = setTimeout(() => this.#ask(), Math.random() * TOGETHER_MS) as unknown as number;
    };
    socket.onclose = () => {
      clearTimeout(this.#asking);
      this.#socket = null;
      this.heard.lost(this.#retry);
      setTimeout(() => this.#connect(), this.#retry * 1000);
      this.#retry = Math.min(2 * this.#retry, LAST_RETRY_S);
    };
  }

  #ask(): void {
    const [comm_id, metadata] = [this.#control, { version: "1.0.0" }];
    this.#send("comm_open", { comm_id, target_name: "jupyter.widget.control", data: {} }, "shell", metadata);
    this.#send("comm_msg", { comm_id, data: { method: "request_states" } });
  }

  /** Asks a widget. */
  send(id: string, content: Record<string, unknown>): void {
    this.#send("comm_msg", { comm_id: id, data: { method: "custom", content } });
  }

  #send(msg_type: string, content: object, channel = "shell", metadata: object = {}): void {
    const msg_id = `${this.#session}-${this.#told++}`;
    const date = new Date().toISOString();
    const header: Record<string, unknown> = {
      msg_id,
      msg_type,
      date,
      session: this.#session,
      username: "",
      version: "5.4",
    };
    if (channel === "shell" && this.#subshell) header.subshell_id = this.#subshell;
    this.#socket?.send(JSON.stringify({ header, parent_header: {}, metadata, content, channel, buffers: [] }));
  }

  #take({ header: { msg_type: type }, content, buffers }: Message): void {
    const { comm_id: id = "", data } = content;
    if (type === "create_subshell_reply") this.#subshell = content.subshell_id;
    else if (type === "comm_close") this.heard.closed(id);
    else if (!data) return;
    else if (data.method === "update_states") {
      clearTimeout(this.#asking);
      const paths = (data.buffer_paths ?? []) as Path[];
      this.heard.states(statesOf(data.states as Record<string, Stated>, paths, buffers));
    } else if (data.method === "custom") this.heard.custom(id, data.content ?? {}, buffers);
    else if (data.state && (type === "comm_open" || data.method === "update")) {
      const traits = placed(data.state as Traits, (data.buffer_paths ?? []) as Path[], buffers);
      if (type === "comm_open") this.heard.opened(id, traits);
      else this.heard.updated(id, traits);
    }
  }
}
