// The runtime's model on the page: the bundle comes compressed in a trait, a third of its size in a saved notebook, and is unpacked once.
//
// initialize() awaits nothing: anywidget drops what the kernel sends to a model that takes over two seconds. The kernel only ever replies
// to it, and nobody asks before the bundle is there.
import type { InitializeProps } from "@anywidget/types";
import { gunzip } from "./gzip";
import type { RuntimeApi } from "./runtime_api";
import type { RuntimeTraits } from "./wire";

async function unpacked(data: DataView): Promise<{ initialize(props: InitializeProps<RuntimeTraits>): RuntimeApi }> {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  const url = URL.createObjectURL(new Blob([await gunzip(bytes)], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

export default {
  initialize(props: InitializeProps<RuntimeTraits>): Pick<RuntimeApi, "render" | "picture"> {
    const made = unpacked(props.model.get("bundle") as DataView).then((bundle) => bundle.initialize(props));
    return {
      render: async (view) => (await made).render(view),
      picture: async (...asked) => (await made).picture(...asked),
    };
  },
};
