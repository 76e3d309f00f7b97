// A picture, saved or copied: a button in the head of each panel, two formats. What makes the picture comes in a chunk, when first asked for.
import { useSignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useRef } from "preact/hooks";
import { chunk } from "../chunks";
import type { Format } from "../picture/entry";
import type { Picture } from "../picture/picture";
import type { Channel } from "../rpc";
import type { RuntimeRequests } from "../wire";
import { Icon } from "./glyphs";

interface Pictures {
  pictureOf(view: HTMLElement): Picture;
  pngOf(picture: Picture, scale?: number): Promise<Blob>;
  save(view: HTMLElement, format: Format): Promise<Blob>;
  copy(view: HTMLElement, format: Format): Promise<void>;
  settled(find: () => HTMLElement | null | undefined): Promise<Picture>;
}
export const pictures = (channel: Channel<RuntimeRequests>): Promise<Pictures> => chunk<Pictures>(channel, "picture");
/** Where the chunk is asked for; null where nobody can be asked. */
export const PictureSource = createContext<Channel<RuntimeRequests> | null>(null);

function download(blob: Blob, name: string): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const DEEDS = ["save", "copy"] as const;
const FORMATS: readonly Format[] = ["svg", "png"];

/** `of`: a selector of the ancestor that is saved or copied; its name is the file's. */
export function PictureButton({ of, name }: { of: string; name: string }) {
  const channel = useContext(PictureSource);
  const isOpen = useSignal(false);
  /** what became of the last picture: a failure in words, or that it is in the clipboard */
  const told = useSignal<{ text: string; isBad: boolean } | null>(null);
  const here = useRef<HTMLSpanElement>(null);
  if (!channel) return null;
  const shut = () => {
    isOpen.value = false;
    here.current?.querySelector("button")?.focus();
  };
  const make = (deed: (typeof DEEDS)[number], format: Format) => {
    const view = here.current?.closest<HTMLElement>(of);
    if (!view) return;
    told.value = null;
    const work = pictures(channel).then((made) => {
      if (deed === "copy") return made.copy(view, format);
      return made.save(view, format).then((blob) => download(blob, `xg2lab-${name}.${format}`));
    });
    if (deed === "save") shut();
    work.then(
      () => {
        if (deed === "copy") told.value = { text: `${format.toUpperCase()} copied`, isBad: false };
      },
      (error: Error) => {
        told.value = { text: error.message, isBad: true };
        isOpen.value = true;
      },
    );
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a box and a legend that a few buttons have no use for
    <span
      class="picture-menu"
      role="group"
      aria-label="Picture"
      ref={here}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen.value) return;
        event.preventDefault();
        shut();
      }}
      onFocusOut={(event) => {
        if (!here.current?.contains(event.relatedTarget as Node | null)) isOpen.value = false;
      }}
    >
      <button
        type="button"
        class="ghost icon"
        title="Save or copy a picture"
        aria-label={`Save or copy a picture of ${name.replaceAll("-", " ")}`}
        aria-expanded={isOpen.value}
        onClick={() => {
          told.value = null;
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="picture" />
      </button>
      {isOpen.value && (
        <span class="float">
          {DEEDS.flatMap((deed) =>
            FORMATS.map((format) => (
              <button key={deed + format} type="button" class="ghost" onClick={() => make(deed, format)}>
                {deed} {format.toUpperCase()}
              </button>
            )),
          )}
          <span role="status" class={told.value?.isBad ? "xs bad" : "xs"}>
            {told.value?.text}
          </span>
        </span>
      )}
    </span>
  );
}
