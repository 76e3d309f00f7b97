// From bytes of UTF-8, in which the engine counts, to the editor's UTF-16 code units, and back. Pure.

export interface Offsets {
  unit: (byte: number) => number;
  byte: (unit: number) => number;
}

/** Places of one text. All ASCII costs nothing; else a table of what each unit's first byte is. */
export function offsetsOf(text: string): Offsets {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) {
    const same = (at: number) => Math.max(0, Math.min(at, text.length));
    return { unit: same, byte: same };
  }
  const begins = new Uint32Array(text.length + 1);
  let bytes = 0;
  for (let k = 0; k < text.length; k++) {
    begins[k] = bytes;
    const code = text.charCodeAt(k);
    const leads = code >= 0xd800 && code < 0xdc00 && k + 1 < text.length;
    if (leads) {
      begins[k + 1] = bytes; // no place is within a pair
      bytes += 4;
      k++;
    } else bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  begins[text.length] = bytes;
  const unit = (byte: number) => {
    let [lo, hi] = [0, text.length];
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if ((begins[mid] as number) < byte) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  };
  return { unit, byte: (at) => begins[Math.max(0, Math.min(at, text.length))] as number };
}
