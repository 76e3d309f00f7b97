// A session on the page: its model and its lifetime. The code is in the runtime.
import type { InitializeProps } from "@anywidget/types";
import type { SessionHandle } from "./runtime_api";
import type { SessionTraits } from "./wire";

export default {
  initialize: ({ model, signal }: InitializeProps<SessionTraits>): SessionHandle => ({ model, signal }),
};
