// The tour of the workbench: the button that begins it, and the place where its chunk is drawn (tour/tour.tsx). It never begins by itself.
import { useSignal } from "@preact/signals";
import { type ComponentType, createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { chunk } from "../chunks";
import type { Store } from "../store";
import { PictureSource } from "./picture_button";
import { Notice } from "./small";

interface TourProps {
  store: Store;
  root: HTMLElement;
  leave: () => void;
}

/** The tour is about the live workbench: elsewhere nothing begins it. */
export const HasTour = createContext(false);

/** Begins the tour, or ends it. */
export function TourButton({ store, look }: { store: Store; look: string }) {
  if (!useContext(HasTour) || !store.canCommand.value) return null;
  const isOpen = store.tourOpen.value;
  return (
    <button
      type="button"
      class={look}
      aria-pressed={isOpen}
      title="Five cards: step, mask, why, grammar"
      onClick={() => {
        store.helpOpen.value = false;
        store.tourOpen.value = !isOpen;
      }}
    >
      tour
    </button>
  );
}

export function TourHere({ store, root }: { store: Store; root: HTMLElement }) {
  const runtime = useContext(PictureSource);
  const Tour = useSignal<ComponentType<TourProps> | null>(null);
  const failed = useSignal("");
  const has = useContext(HasTour);
  const isOpen = store.tourOpen.value && has;
  useEffect(() => {
    if (!isOpen || !runtime || Tour.peek()) return;
    chunk<{ Tour: ComponentType<TourProps> }>(runtime, "tour").then(
      (made) => {
        Tour.value = made.Tour;
      },
      (error: Error) => {
        failed.value = error.message;
      },
    );
  }, [isOpen, runtime, Tour, failed]);
  if (!isOpen) return null;
  const leave = () => {
    store.tourOpen.value = false;
  };
  if (failed.value) return <Notice level="error">The tour could not be fetched: {failed.value}</Notice>;
  return Tour.value && <Tour.value store={store} root={root} leave={leave} />;
}
