// The student's page: the workbench of a teacher's session, over the same Jupyter server. It follows the teacher's selection and steps, may
// look elsewhere, and changes nothing. Built on its own, as follow.js, beside JupyterLab's extension, whose files the server serves.
//
// The address names the kernel and the session: `…/lab/extensions/xg2lab/static/follow.html?kernel=…&session=…`. The views' code comes from
// the kernel, so the page fits the version that the teacher runs. See docs/design/0056-presenting.md.
import { gunzip } from "../gzip";
import type { Page } from "../page";
import type { RuntimeApi, SessionHandle } from "../runtime_api";
import { FollowedModel } from "./followed";
import { KernelLine, type Traits } from "./line";

const asked = new URLSearchParams(location.search);
const [kernel, session, token] = ["kernel", "session", "token"].map((name) => asked.get(name) ?? "");
const root = location.pathname.replace(/lab\/extensions\/.*$/, "");
const element = (id: string) => document.getElementById(id) as HTMLElement;
const button = element("follow") as HTMLButtonElement;

function say(words: string): void {
  element("says").textContent = words;
}
const ended = "The teacher's session has ended. Ask for a new address.";

const models = new Map<string, FollowedModel>();
let life: AbortController | null = null;

function showState(): void {
  const model = models.get(session as string);
  if (!model) return;
  button.hidden = false;
  say(model.isFollowing ? "You see what your teacher shows." : "You look elsewhere. Your teacher goes on.");
  button.textContent = model.isFollowing ? "stop following" : "follow again";
}
button.addEventListener("click", () => {
  const model = models.get(session as string);
  model?.follow(!model.isFollowing);
});

const idOf = (reference: unknown): string => `${reference}`.replace("anywidget:", "");
/** Draws the workbench of the session, once all its models are here. */
async function draw(): Promise<void> {
  const model = models.get(session as string);
  const runtime = model && models.get(idOf(model.get("runtime")));
  const packed = runtime?.get("bundle") as DataView | undefined;
  if (!model || !runtime || !packed) {
    button.hidden = true;
    say(ended);
    return;
  }
  life = new AbortController();
  const { signal } = life;
  const code = new Uint8Array(packed.buffer as ArrayBuffer, packed.byteOffset, packed.byteLength).slice();
  const url = URL.createObjectURL(new Blob([await gunzip(code)], { type: "text/javascript" }));
  const bundle = (await import(url)).default as { initialize(of: object): RuntimeApi };
  URL.revokeObjectURL(url);
  const api = bundle.initialize({ model: runtime, signal });
  // the record that the bundle has just opened
  const page = (globalThis as unknown as Record<symbol, Page>)[Symbol.for("xg2lab/page/1")] as Page;
  page.isFollowing = true;
  const teachers = [...models.values()].find(
    (one) => one.get("panel") === "workbench" && idOf(one.get("session")) === session,
  );
  const view = teachers ?? new FollowedModel({ panel: "workbench", frame: null }, () => {});
  const handle = { model, signal } as unknown as SessionHandle;
  const pad = { model: new FollowedModel({ replay: null }, () => {}), signal };
  element("views").replaceChildren();
  api.mount("workbench", handle, { model: view as never, el: element("views"), signal }, pad as never);
  showState();
}

function made(line: KernelLine, id: string, traits: Traits): FollowedModel {
  const model = new FollowedModel(traits, (request) => line.send(id, request), showState);
  models.set(id, model);
  return model;
}

async function start(): Promise<void> {
  if (!/^[\w-]{8,64}$/.test(kernel as string) || !/^\w{8,64}$/.test(session as string)) {
    say("This address names no session. Ask your teacher for the whole address.");
    return;
  }
  const withToken = (url: URL): URL => {
    if (token) url.searchParams.set("token", token);
    return url;
  };
  const known = await fetch(withToken(new URL(`${root}api/kernels/${kernel}`, location.href)));
  if (known.status === 401 || known.status === 403) {
    say("The server does not know you. Log in to it, then load this page again.");
    return;
  }
  if (!known.ok) {
    say(ended);
    return;
  }
  const address = withToken(new URL(`${root}api/kernels/${kernel}/channels`, location.href));
  address.protocol = address.protocol.replace("http", "ws");
  const line: KernelLine = new KernelLine(address, {
    states(states) {
      if (life && models.has(session as string)) {
        // after the line was lost, or in answer to another page: what was missed is asked for by number
        for (const [id, traits] of states) models.get(id)?.update(traits);
        if (!states.has(session as string)) this.closed(session as string);
        else models.get(session as string)?.emit("comm_live_update");
        showState();
        return;
      }
      for (const [id, traits] of states) made(line, id, traits);
      draw().catch((error: Error) => say(`This page could not be shown: ${error.message}`));
    },
    opened: (id, traits) => void made(line, id, traits),
    updated: (id, traits) => models.get(id)?.update(traits),
    custom: (id, content, buffers) => models.get(id)?.emit("msg:custom", content, buffers),
    closed(id) {
      models.delete(id);
      if (id !== session) return;
      button.hidden = true;
      life?.abort();
      say(ended);
    },
    lost: (seconds) => say(`The line to the server is lost. The page tries again in ${seconds} s.`),
  });
}
start().catch((error: Error) => say(`This page could not be shown: ${error.message}`));
