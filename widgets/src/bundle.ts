// The one real bundle: the code of every view, carried by one Runtime widget a kernel, unpacked by stub_runtime.ts.
//
// Reader sees nothing of it. Python -> browser: this file, compressed. Browser -> Python: requests for assets, and pause.
import type { InitializeProps } from "@anywidget/types";
import * as signals from "@preact/signals";
import * as preact from "preact";
import * as hooks from "preact/hooks";
import { type Area, offer } from "./areas";
import { lend } from "./chunks";
import { Elsewhere } from "./elsewhere";
import { isNew } from "./kept";
import * as kit from "./kit";
import { isLive } from "./live";
import { mountPanel } from "./mount";
import { page } from "./page";
import { pictures } from "./parts/picture_button";
import { bytesOf, Channel } from "./rpc";
import type { PadHandle, RuntimeApi, SessionHandle } from "./runtime_api";
import { settled } from "./settled";
import { Store } from "./store";
import { hex } from "./text";
import { cameTo } from "./trace";
import { VIEWS } from "./views";
import type { RuntimeTraits } from "./wire";

page().evaluations++;
lend({ preact, "preact/hooks": hooks, "@preact/signals": signals, kit });
page().settled ??= settled;

const dataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });

/** The state of a pad in a word, gzip's check sum and length: as outputs of the notebook name it (xg2lab/widgets/saved.py). */
const endOf = ({ model }: PadHandle): string =>
  [...bytesOf(model.get("replay") as DataView).slice(-8)].map((byte) => hex(byte).toLowerCase()).join("");

/** What a tab of a view says, and what tells the view from others of its notebook: the session's name, once it is known. */
function nameOf(panel: string, store: Store | null): Promise<{ title: string; key: string }> {
  const title = VIEWS.find(({ name }) => name === panel)?.title ?? panel;
  const named = (name?: string) => ({ title: name ? `${title}: ${name}` : title, key: `${panel} ${name ?? ""}` });
  if (!store) return Promise.resolve(named());
  return new Promise((resolve) => {
    const stop = signals.effect(() => {
      const name = store.link.trace.value?.header.name;
      if (name === undefined && store.link.line.value === "unknown") return;
      resolve(named(name));
      queueMicrotask(() => stop());
    });
  });
}

export default {
  initialize({ model, signal }: InitializeProps<RuntimeTraits>): RuntimeApi {
    const api: RuntimeApi = {
      async picture(find, format, scale) {
        const make = await pictures(Channel.of(model, signal));
        const picture = await make.settled(find);
        return format === "svg" ? picture.svg : dataUrl(await make.pngOf(picture, scale));
      },
      mount(panel, session, view, pad) {
        const runtime = Channel.of(model, signal);
        const store = session && Store.of(session, runtime);
        if (!view.signal.aborted)
          mountPanel(VIEWS, panel, { store, pad, runtime, model: view.model }, view.el, view.signal);
      },
      async render({ model: view, el, signal: life, host }) {
        let before: AbortController | undefined;
        let begin = () => {};
        const of = async <T>(trait: "session" | "pad"): Promise<T | null> => {
          const ref = view.get(trait);
          return ref ? (await host.getWidget<T>(ref)).exports : null;
        };
        const [panel, id] = [view.get("panel"), view.get("view_id")];
        const elsewhere = Elsewhere.of(id);
        const mount = async () => {
          before?.abort();
          before = new AbortController();
          const shown = AbortSignal.any([life, before.signal]);
          const [session, pad] = await Promise.all([of<SessionHandle>("session"), of<PadHandle>("pad")]);
          if (shown.aborted) return;
          const runtime = Channel.of(model, signal);
          const store = session && Store.of(session, runtime);
          const drawn = (here: Area | null) => (box: HTMLElement, life: AbortSignal) => {
            box.replaceChildren();
            const where = id ? { of: elsewhere, name: panel, here } : null;
            if (!life.aborted) mountPanel(VIEWS, panel, { store, pad, runtime, model: view, where }, box, life);
          };
          drawn(null)(el, shown);
          begin = () => {
            if (store && isNew(`tour/${id}`, view.get("tours"))) store.tourOpen.value = true;
            if (store && isNew(`presenting/${id}`, view.get("presented"))) store.presenting.value = true;
          };
          begin();
          isLive(id, () => {
            const trace = store?.link.trace.peek();
            if (store && !trace) return null;
            return [...(trace ? [cameTo(trace)] : []), ...(pad ? [endOf(pad)] : [])].join(" ");
          });
          if (!id) return;
          const named = view.get("session")?.replace("anywidget:", "") ?? null;
          elsewhere.session = named;
          offer({ cell: el, panel, session: named, open: (area) => elsewhere.open(area) }, shown);
          elsewhere.isIn(
            {
              cell: el,
              subject: (session ?? pad) as object,
              named: nameOf(panel, store),
              isLive: () => store?.link.line.peek() !== "offline" && store?.link.line.peek() !== "closed",
              draw: (box, life, area) => drawn(area)(box, life),
            },
            view.get("opened"),
          );
        };
        const asks = () => elsewhere.asks(view.get("opened"));
        view.on("change:tours", () => begin());
        view.on("change:presented", () => begin());
        view.on("change:session", mount);
        view.on("change:opened", asks);
        await mount();
      },
    };
    return api;
  },
};
