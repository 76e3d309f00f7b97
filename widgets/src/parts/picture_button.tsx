// Saving a picture: a button in the head of each panel, two formats. What makes the picture comes in a chunk, when first asked for.
import { useSignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useRef } from "preact/hooks";
import { chunk } from "../chunks";
import type { Format } from "../picture/entry";
import type { Picture } from "../picture/picture";
import type { Channel } from "../rpc";
import { Icon } from "./glyphs";

interface Pictures {
  pictureOf(view: HTMLElement): Picture;
  pngOf(picture: Picture, scale?: number): Promise<Blob>;
  save(view: HTMLElement, format: Format): Promise<Blob>;
  settled(find: () => HTMLElement | null | undefined): Promise<Picture>;
}
export const pictures = (channel: Channel): Promise<Pictures> => chunk<Pictures>(channel, "picture");
/** Where the chunk is asked for; null where nobody can be asked. */
export const PictureSource = createContext<Channel | null>(null);

function download(blob: Blob, name: string): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** `of`: a selector of the ancestor that is saved; its name is the file's. */
export function PictureButton({ of, name }: { of: string; name: string }) {
  const channel = useContext(PictureSource);
  const isOpen = useSignal(false);
  const failed = useSignal("");
  const here = useRef<HTMLSpanElement>(null);
  if (!channel) return null;
  const shut = () => {
    isOpen.value = false;
    here.current?.querySelector("button")?.focus();
  };
  const make = (format: Format) => {
    const view = here.current?.closest<HTMLElement>(of);
    shut();
    if (!view) return;
    pictures(channel)
      .then((made) => made.save(view, format))
      .then(
        (blob) => {
          failed.value = "";
          download(blob, `xg2lab-${name}.${format}`);
        },
        (error: Error) => {
          failed.value = error.message;
          isOpen.value = true;
        },
      );
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a box and a legend that two buttons have no use for
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
        title="Save a picture"
        aria-label={`Save a picture of ${name.replaceAll("-", " ")}`}
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="picture" />
      </button>
      {isOpen.value && (
        <span class="float">
          {failed.value && <span class="xs bad">{failed.value}</span>}
          <button type="button" class="ghost" onClick={() => make("svg")}>
            SVG
          </button>
          <button type="button" class="ghost" onClick={() => make("png")}>
            PNG
          </button>
        </span>
      )}
    </span>
  );
}
