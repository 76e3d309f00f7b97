// What the build calls for each node of TSX: see build.mjs. The type checker follows tsconfig.json, which means the same.
// No name of ours has a dollar sign, so nothing hides these.
export { Fragment as $Fragment, h as $h } from "preact";
