// A view on the page: finds its session, the session's runtime, and mounts. Follows `view.session = other`.
import type { RenderProps } from "@anywidget/types";
import type { PadHandle, RuntimeApi, SessionHandle } from "./runtime_api";
import type { ViewTraits } from "./wire";

export default {
  render({ model, el, signal, host }: RenderProps<ViewTraits>) {
    let before: AbortController | undefined;
    const of = async <T>(trait: "session" | "pad"): Promise<T | null> => {
      const ref = model.get(trait);
      return ref ? (await host.getWidget<T>(ref)).exports : null;
    };
    const mount = async () => {
      before?.abort();
      before = new AbortController();
      const life = AbortSignal.any([signal, before.signal]);
      try {
        if (!host?.getWidget) throw Error("needs anywidget 0.11");
        const [session, pad] = await Promise.all([of<SessionHandle>("session"), of<PadHandle>("pad")]);
        const owner = (session ?? pad) as PadHandle;
        const runtime = (await host.getWidget<RuntimeApi>(owner.model.get("runtime") as string)).exports;
        if (life.aborted) return;
        el.replaceChildren();
        runtime.mount(model.get("panel"), session, { model, el, signal: life }, pad);
      } catch (error) {
        if (!life.aborted) el.textContent = `xg2lab: no session here, run the cell again (${(error as Error).message})`;
      }
    };
    model.on("change:session", mount);
    return mount();
  },
};
