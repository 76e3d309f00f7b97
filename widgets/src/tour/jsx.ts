// What the build calls for each node of the chunk's TSX: the bundle's own, see ../jsx.ts.
export { $Fragment, $h } from "../kit";
