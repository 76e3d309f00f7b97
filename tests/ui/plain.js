// A page that hosts widgets, with nothing of JupyterLab in it: what anywidget's protocol asks of a host, and a line to a real kernel.
//
// Kernel -> page: comm_open, comm_msg and comm_close of Jupyter's protocol, over the server's web socket. Page -> kernel: code to run,
// and the messages of the widgets. A page without a kernel gets the models' states instead, as a saved notebook has them; nobody answers.
const models = new Map();
const cells = [];

/** What one widget is on the page: its traits, and who listens to them. */
class Model {
  #listeners = new Map();
  #made;

  constructor(id, traits) {
    this.id = id;
    this.traits = traits;
    this.life = new AbortController();
  }
  get(name) {
    return this.traits[name];
  }
  set(name, value) {
    this.update({ [name]: value });
  }
  update(traits) {
    Object.assign(this.traits, traits);
    for (const name of Object.keys(traits)) this.emit(`change:${name}`);
    this.emit("change");
  }
  emit(name, ...values) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(...values);
  }
  on(name, listener) {
    this.#listeners.set(name, (this.#listeners.get(name) ?? new Set()).add(listener));
  }
  off(name, listener) {
    this.#listeners.get(name)?.delete(listener);
  }
  save_changes() {
    throw new Error("no widget of ours has traits that the page writes");
  }
  send(content) {
    tell("comm_msg", { comm_id: this.id, data: { method: "custom", content } });
  }
  /** Its code, evaluated once, and what `initialize` gave. */
  made() {
    this.#made ??= (async () => {
      const url = URL.createObjectURL(new Blob([this.get("_esm")], { type: "text/javascript" }));
      const { default: widget } = await import(url);
      URL.revokeObjectURL(url);
      return { widget, exports: await widget.initialize?.({ model: this, signal: this.life.signal }) };
    })();
    return this.#made;
  }
}

const host = { getWidget: async (ref) => ({ exports: (await models.get(ref.replace("anywidget:", "")).made()).exports }) };

/** Draws a widget into the output of a cell, until its model or the output ends. */
async function draw(id, { box, life }) {
  const el = document.createElement("div");
  box.append(el);
  const model = models.get(id);
  const signal = AbortSignal.any([model.life.signal, life.signal]);
  await (await model.made()).widget.render({ model, el, signal, host });
}

/** The output of a cell, emptied: the views that it had end, as in JupyterLab. */
function output(index) {
  cells[index]?.life.abort();
  cells[index]?.box.remove();
  const box = document.createElement("section");
  box.className = "output";
  const next = [...document.querySelectorAll("main > .output")].find((one) => Number(one.dataset.cell) > index);
  box.dataset.cell = String(index);
  document.querySelector("main").insertBefore(box, next ?? null);
  cells[index] = { box, shown: [], life: new AbortController() };
  return cells[index];
}

// ---- The line to the kernel ------------------------------------------------------------------------------------------

const session = crypto.randomUUID();
const waiting = new Map();
let socket;
let subshell;
let told = 0;

function tell(msg_type, content, channel = "shell") {
  if (!socket) return ""; // a page without a kernel: nobody answers
  const msg_id = `${session}-${told++}`;
  const header = { msg_id, msg_type, session, username: "", date: new Date().toISOString(), version: "5.4" };
  // as in JupyterLab: a widget is heard while a cell runs, since its messages go to a thread of their own
  if (msg_type === "comm_msg") header.subshell_id = subshell;
  socket.send(JSON.stringify({ header, parent_header: {}, metadata: {}, content, channel, buffers: [] }));
  return msg_id;
}

/** A message of the web socket: text, or a count, that many offsets, the text, and the buffers. */
function received(data) {
  if (typeof data === "string") return { ...JSON.parse(data), buffers: [] };
  const view = new DataView(data);
  const offsets = Array.from({ length: view.getUint32(0) }, (_, k) => view.getUint32(4 * (k + 1)));
  const part = (k) => data.slice(offsets[k], offsets[k + 1] ?? data.byteLength);
  const buffers = offsets.slice(1).map((_, k) => new DataView(part(k + 1)));
  return { ...JSON.parse(new TextDecoder().decode(part(0))), buffers };
}

/** State with its buffers put where they belong. */
function state({ state: traits, buffer_paths: paths = [] }, buffers) {
  paths.forEach((path, k) => {
    const owner = path.slice(0, -1).reduce((at, name) => at[name], traits);
    owner[path.at(-1)] = buffers[k];
  });
  return traits;
}

function take({ header, parent_header: parent, content, buffers }) {
  const asked = waiting.get(parent?.msg_id);
  const id = content.comm_id;
  if (header.msg_type === "comm_open") models.set(id, new Model(id, state(content.data, buffers)));
  else if (header.msg_type === "comm_msg" && content.data.method === "update")
    models.get(id)?.update(state(content.data, buffers));
  else if (header.msg_type === "comm_msg" && content.data.method === "custom")
    models.get(id)?.emit("msg:custom", content.data.content, buffers);
  else if (header.msg_type === "comm_close") {
    models.get(id)?.life.abort();
    models.delete(id);
  } else asked?.heard(header.msg_type, content);
}

/** Asks on the control channel; what the kernel replies. */
function control(kind, content) {
  return new Promise((resolve, reject) => {
    const id = tell(`${kind}_request`, content, "control");
    const heard = (type, reply) => {
      if (type !== `${kind}_reply`) return;
      waiting.delete(id);
      resolve(reply);
    };
    waiting.set(id, { heard, reject });
  });
}

/** Runs code: what it printed, and its error. `display` is called with each widget that it displays. */
function run(code, display) {
  return new Promise((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN) throw new Error("there is no line to the kernel");
    let [text, error, ends] = ["", "", 0];
    const id = tell("execute_request", { code, silent: false, store_history: false, allow_stdin: false, stop_on_error: true });
    const heard = (type, content) => {
      if (type === "stream") text += content.text;
      if (type === "error") error = `${content.ename}: ${content.evalue}`;
      const shown = content.data?.["application/vnd.jupyter.widget-view+json"];
      if (shown) display?.(shown.model_id);
      // both the answer, and that the kernel has told everything
      if (type === "execute_reply" || (type === "status" && content.execution_state === "idle")) ends++;
      if (ends < 2) return;
      waiting.delete(id);
      resolve({ text, error });
    };
    waiting.set(id, { heard, reject });
  });
}

// ---- What the tests call ---------------------------------------------------------------------------------------------

Object.assign(globalThis, {
  /** Connects to a kernel of the server. */
  async connected(kernel) {
    await new Promise((resolve, reject) => {
      socket = new WebSocket(`ws://${location.host}/api/kernels/${kernel}/channels?session_id=${session}`);
      socket.binaryType = "arraybuffer";
      socket.onmessage = ({ data }) => take(received(data));
      socket.onopen = () => resolve();
      socket.onclose = () => {
        const gone = new Error("there is no line to the kernel");
        reject(gone);
        for (const { reject: fails } of waiting.values()) fails(gone);
        waiting.clear();
      };
    });
    subshell = (await control("create_subshell", {})).subshell_id;
  },
  left: () => control("delete_subshell", { subshell_id: subshell }),
  run: (code) => run(code),
  /** Runs a cell: what it displays stands in its place on the page. */
  async runCell(index, code) {
    const cell = output(index);
    const drawn = [];
    const answer = await run(code, (id) => {
      cell.shown.push(id);
      drawn.push(draw(id, cell));
    });
    await Promise.all(drawn);
    return answer;
  },
  /** What a saved notebook would hold: each widget's traits, buffers as base64, and which are displayed where. */
  saved() {
    const base64 = ({ buffer, byteOffset, byteLength }) => {
      let text = "";
      for (const byte of new Uint8Array(buffer, byteOffset, byteLength)) text += String.fromCharCode(byte);
      return btoa(text);
    };
    const states = {};
    for (const { id, traits } of models.values()) {
      const entries = Object.entries(traits);
      const plain = entries.filter(([, value]) => !(value instanceof DataView));
      const buffers = entries.filter(([, value]) => value instanceof DataView);
      states[id] = {
        state: Object.fromEntries(plain),
        buffers: buffers.map(([name, value]) => ({ path: [name], data: base64(value) })),
      };
    }
    return JSON.stringify({ states, cells: cells.map((cell) => cell?.shown ?? []) });
  },
  /** Draws what was saved. */
  async replayed(text) {
    const { states, cells: shown } = JSON.parse(text);
    for (const [id, { state: traits, buffers }] of Object.entries(states)) {
      for (const { path, data } of buffers)
        traits[path[0]] = new DataView(Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer);
      models.set(id, new Model(id, traits));
    }
    const drawn = shown.flatMap((ids, index) => {
      const cell = output(index);
      return ids.map((id) => draw(id, cell));
    });
    await Promise.all(drawn);
  },
});
