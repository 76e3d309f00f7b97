// Large type over the whole page, for as long as a presenter wants it. The widget's box becomes a popover: it stands above the page
// wherever its cell is, without a permission that a browser asks for. What has the full screen already stays there.
import { useEffect } from "preact/hooks";
import { zoomFor } from "./presenting";

export function useLarge(isOn: boolean, box: { current: HTMLElement | null }): void {
  useEffect(() => {
    const root = box.current?.closest<HTMLElement>(".xg");
    const host = (root?.getRootNode() as ShadowRoot | undefined)?.host as HTMLElement | undefined;
    if (!isOn || !root || !host) return undefined;
    const life = new AbortController();
    const raise = () => {
      if (host.matches(":fullscreen")) return;
      host.popover = "manual";
      if (!host.matches(":popover-open")) host.showPopover();
    };
    const enlarge = () => {
      root.style.setProperty("zoom", `${zoomFor(host.clientWidth)}`);
    };
    raise();
    enlarge();
    root.dataset.presenting = "";
    const watch = new ResizeObserver(enlarge);
    watch.observe(host);
    host.addEventListener("fullscreenchange", raise, { signal: life.signal });
    return () => {
      life.abort();
      watch.disconnect();
      root.style.removeProperty("zoom");
      delete root.dataset.presenting;
      host.removeAttribute("popover"); // which also hides it
    };
  }, [isOn, box]);
}
