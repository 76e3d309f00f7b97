// The tour's chunk: what the bundle calls to draw the tour on a workbench.
export { Tour } from "./tour";
