// A view on the page: its session's model (or its pad's) draws it. Every view of a saved notebook holds this text.
import type { RenderProps } from "@anywidget/types";
import type { SessionHandle } from "./runtime_api";
import type { ViewTraits } from "./wire";

export default {
  async render(p: RenderProps<ViewTraits>) {
    try {
      const ref = (p.model.get("session") ?? p.model.get("pad")) as string;
      await (await p.host.getWidget<SessionHandle>(ref)).exports.render(p);
    } catch (e) {
      p.el.textContent = `xg2lab: run the cell again (anywidget 0.11). ${e}`;
    }
  },
};
