// A view on the page: finds its session, the session's runtime, and mounts. Follows `view.session = other`.
import type { RenderProps } from "@anywidget/types";
import type { RuntimeApi, SessionHandle } from "./runtime_api";
import type { ViewTraits } from "./wire";

export default {
  render({ model, el, signal, host }: RenderProps<ViewTraits>) {
    let before: AbortController | undefined;
    const mount = async () => {
      before?.abort();
      before = new AbortController();
      const life = AbortSignal.any([signal, before.signal]);
      try {
        const session = (await host.getWidget<SessionHandle>(model.get("session") as string)).exports;
        const runtime = (await host.getWidget<RuntimeApi>(session.model.get("runtime") as string)).exports;
        if (life.aborted) return;
        el.replaceChildren();
        runtime.mount(model.get("panel"), session, { model, el, signal: life });
      } catch (error) {
        if (!life.aborted)
          el.textContent = `xg2lab: no session on this page, run the cell again (${(error as Error).message})`;
      }
    };
    model.on("change:session", mount);
    return mount();
  },
};
