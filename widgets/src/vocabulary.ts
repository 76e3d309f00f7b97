// The vocabulary on the page: the bytes of each token by id, and the order of the token trie.
//
// Layout as sent: all bytes in one blob, offsets u32 (n + 1, little-endian) into it by token id, token ids u32 in trie order.
// A text is decoded when it is asked for: 262,144 strings are never made at once.
import { hex } from "./text";

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder("latin1");

/** Bytes as text; what is not UTF-8 (half a character) as \\xHH. */
export function readable(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    if (bytes.length === 1) return `\\x${hex(bytes[0] as number).toLowerCase()}`;
  }
  let out = "";
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const n = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    try {
      out += lead < 0x80 ? lenient.decode(bytes.subarray(at, at + 1)) : strict.decode(bytes.subarray(at, at + n));
      at += n;
    } catch {
      out += `\\x${hex(lead).toLowerCase()}`;
      at += 1;
    }
  }
  return out;
}

export class Vocabulary {
  readonly size: number;
  /** place of each token id in trie order */
  readonly rank: Uint32Array;

  constructor(
    readonly blob: Uint8Array,
    readonly offsets: Uint32Array,
    readonly order: Uint32Array,
  ) {
    this.size = order.length;
    if (offsets.length !== this.size + 1)
      throw new Error(`vocabulary: ${offsets.length} offsets for ${this.size} tokens`);
    this.rank = new Uint32Array(this.size);
    for (let k = 0; k < this.size; k++) this.rank[order[k] as number] = k;
  }

  static fromBuffers(blob: DataView, offsets: DataView, order: DataView): Vocabulary {
    const own = (v: DataView) => (v.buffer as ArrayBuffer).slice(v.byteOffset, v.byteOffset + v.byteLength);
    return new Vocabulary(new Uint8Array(own(blob)), new Uint32Array(own(offsets)), new Uint32Array(own(order)));
  }

  bytes(id: number): Uint8Array {
    return this.blob.subarray(this.offsets[id] ?? 0, this.offsets[id + 1] ?? 0);
  }
  text(id: number): string {
    return readable(this.bytes(id));
  }

  /** Ids, in trie order, of the tokens that a query means: "#12" or a number is an id too, "/22 7D/" bytes, else text. */
  search(query: string, limit = 500): number[] {
    const needle = needleOf(query);
    const found: number[] = [];
    const id = /^#?(\d+)$/.exec(query)?.[1];
    if (id !== undefined && Number(id) < this.size) found.push(Number(id));
    if (!needle || needle.length === 0) return found;
    for (let k = 0; k < this.size && found.length < limit; k++) {
      const token = this.order[k] as number;
      if (token !== found[0] && includes(this.bytes(token), needle)) found.push(token);
    }
    return found;
  }
}

/** Bytes a query looks for: "/.../" holds hexadecimal bytes; dots and arrows of the visible forms mean space and newline. */
export function needleOf(query: string): Uint8Array | null {
  const hex = /^\/((?:[0-9a-fA-F]{2}\s*)+)\/?$/.exec(query)?.[1];
  if (hex) return Uint8Array.from(hex.replace(/\s/g, "").match(/../g) ?? [], (h) => Number.parseInt(h, 16));
  if (query.startsWith("/") && query.length > 1 && query.endsWith("/")) return null;
  return new TextEncoder().encode(query.replace(/·/g, " ").replace(/↵/g, "\n").replace(/⇥/g, "\t"));
}

function includes(hay: Uint8Array, needle: Uint8Array): boolean {
  outer: for (let k = 0; k + needle.length <= hay.length; k++) {
    for (let j = 0; j < needle.length; j++) if (hay[k + j] !== needle[j]) continue outer;
    return true;
  }
  return false;
}
