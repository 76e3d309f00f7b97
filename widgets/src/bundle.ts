// The one real bundle: the code of every view, carried by one Runtime widget a kernel.
//
// Reader sees nothing of it. Python -> browser: this file's text. Browser -> Python: requests for assets, and pause.
import type { InitializeProps } from "@anywidget/types";
import { mountPanel } from "./mount";
import { page } from "./page";
import { pictures } from "./parts/picture_button";
import { Channel } from "./rpc";
import type { RuntimeApi } from "./runtime_api";
import { Store } from "./store";
import type { RuntimeTraits } from "./wire";

page().evaluations++;

const dataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });

export default {
  /** Nothing may be awaited here: anywidget drops what the kernel sends to a model that takes over two seconds. */
  initialize({ model, signal }: InitializeProps<RuntimeTraits>): RuntimeApi {
    return {
      abi: 1,
      build: BUILD,
      async picture(find, format, scale) {
        const make = await pictures(Channel.of(model, signal));
        const picture = await make.settled(find);
        return format === "svg" ? picture.svg : dataUrl(await make.pngOf(picture, scale));
      },
      mount(panel, session, view, pad) {
        const runtime = Channel.of(model, signal);
        const store = session && Store.of(session, runtime);
        if (!view.signal.aborted) mountPanel(panel, { store, pad, runtime }, view.el, view.signal);
      },
    };
  },
};
