// A session or a pad on the page: its model and its lifetime, and where its views find the code, which is in the runtime.
import type { InitializeProps } from "@anywidget/types";
import type { RuntimeApi, SessionHandle } from "./runtime_api";
import type { SessionTraits } from "./wire";

export default {
  initialize: ({ model, signal }: InitializeProps<SessionTraits>): SessionHandle => ({
    model,
    signal,
    render: async (view) =>
      (await view.host.getWidget<RuntimeApi>(model.get("runtime") as string)).exports.render(view),
  }),
};
