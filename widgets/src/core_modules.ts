// What the bundle lends to chunks, by the names under which build.mjs leaves them out there. A module that holds state (signals,
// channels, contexts) has to be lent, or there would be two of it; the others are lent because they are here anyway.
import * as signals from "@preact/signals";
import * as preact from "preact";
import * as hooks from "preact/hooks";
import * as clipboard from "./clipboard";
import * as gzip from "./gzip";
import * as chart from "./layout/chart";
import * as glyphs from "./parts/glyphs";
import * as small from "./parts/small";
import * as table from "./parts/table";
import * as tabs from "./parts/tabs";
import * as rpc from "./rpc";
import * as text from "./text";
import * as trace from "./trace";

export const CORE: Record<string, unknown> = {
  preact,
  "preact/hooks": hooks,
  "@preact/signals": signals,
  clipboard,
  gzip,
  "layout/chart": chart,
  "parts/glyphs": glyphs,
  "parts/small": small,
  "parts/table": table,
  "parts/tabs": tabs,
  rpc,
  text,
  trace,
};
