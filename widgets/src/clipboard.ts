// Text to the clipboard: by the browser's interface where it is there, else through a text field of the page's own.
//
// navigator.clipboard is missing on pages that are not served securely (a notebook on another machine over http), and may refuse.

/** Whether it was copied; where not, the reader has to be shown the text. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // refused: by permission, or because the page is not in focus
  }
  return copyByField(text);
}

function copyByField(text: string): boolean {
  const back = deepestFocus();
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("readonly", "");
  field.style.cssText = "position:fixed;top:0;left:-9999px";
  document.body.append(field);
  field.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch {
    copied = false;
  }
  field.remove();
  back?.focus({ preventScroll: true });
  return copied;
}

function deepestFocus(): HTMLElement | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element instanceof HTMLElement ? element : null;
}
