// What the bundle lends to its chunks: all that src/editor/, src/picture/ and src/tour/ take from outside their folders.
//
// A chunk that held its own copy of a module with state (signals, contexts, the page's record) would draw beside the bundle instead of
// within it. So a chunk imports from here, build.mjs leaves this module out of the chunk and refuses any other way out of the folder,
// and bundle.ts hands it in (chunks.ts). The type checker sees ordinary imports.
export { isAllowed } from "./bulk";
export { copyText } from "./clipboard";
export { isField } from "./focus";
export { greets, type Line } from "./greeting";
export { gunzip } from "./gzip";
export { $Fragment, $h } from "./jsx";
export { useFocusNext } from "./parts/focus_next";
export { Glyph } from "./parts/glyphs";
export { Empty, Notice, Panel, Refusal, Seg, Token, useWidth } from "./parts/small";
export { Table } from "./parts/table";
export { bytesOf, Channel, KernelError } from "./rpc";
export { begin, during, settlesWith } from "./settled";
export { escaped, HIDDEN, int, micros, millis, plural, visible } from "./text";
export { innermost, NOTHING_SELECTED, ruleOf, stateOf } from "./trace";
export { outputBytes } from "./views/chart_view/layout/chart";
