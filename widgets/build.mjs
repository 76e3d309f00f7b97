// Builds what the Python side reads from xg2lab/widgets/static: the bundle, the chunk of further views, two stubs, the exported page's host, the Graphviz asset.
//
//   node build.mjs            build once, print sizes, fail when the bundle is over its budget
//   node build.mjs --watch    rebuild the bundle on change
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "xg2lab", "widgets", "static");
const BUNDLE_BUDGET_BYTES = 200 * 1024;
const CHUNK_BUDGET_BYTES = 64 * 1024;

/** The style sheets as one text: minified, compressed (to a third of it, in base64), unpacked once a page by mount.tsx. */
const packedCss = {
  name: "packed-css",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const sheets = {
        entryPoints: [path],
        bundle: true,
        minify: true,
        target: "es2022",
        write: false,
        metafile: true,
      };
      const { outputFiles, metafile } = await esbuild.build({ ...sheets, absWorkingDir: here });
      const contents = gzipSync(outputFiles[0].contents, { level: 9 }).toString("base64");
      const watchFiles = Object.keys(metafile.inputs).map((input) => join(here, input));
      return { contents, loader: "text", watchFiles };
    });
  },
};

const common = {
  absWorkingDir: here,
  format: "esm",
  minify: true,
  target: "es2022",
  legalComments: "none",
  write: false,
};
const bundle = {
  ...common,
  entryPoints: ["src/bundle.ts"],
  bundle: true,
  // h(tag, props, ...children) is shorter than the automatic form by a word a node, 5 KB in all
  tsconfigRaw: {
    compilerOptions: { jsx: "react", jsxFactory: "$h", jsxFragmentFactory: "$Fragment", target: "es2022" },
  },
  inject: ["src/jsx.ts"],
  plugins: [packedCss],
};

/** In the chunk, modules of shared.ts are looked up in the bundle's table: bare names as they are, ours by their place. */
const sharedWith = (id, keys) => ({
  name: "shared",
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, resolveDir }) => {
      const key = path.startsWith(".") ? relative(here, join(resolveDir, path)) : path;
      return keys.includes(key) ? { path: key, namespace: "shared" } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => ({
      contents: `module.exports = globalThis[Symbol.for("xg2lab/shared/${id}")]["${path}"];`,
    }));
  },
});

async function save(name, contents) {
  await writeFile(join(out, name), contents);
  console.log(`${String(contents.length).padStart(9)} B  ${name}`);
}

async function build() {
  const draft = await esbuild.build({ ...bundle, define: { BUILD: '"draft"' } });
  const id = createHash("sha256").update(draft.outputFiles[0].contents).digest("hex").slice(0, 12);
  const final = await esbuild.build({ ...bundle, define: { BUILD: JSON.stringify(id) } });
  const code = final.outputFiles[0].contents;
  await save("runtime.js", code);
  for (const stub of ["stub_view", "stub_session"]) {
    const built = await esbuild.build({ ...common, entryPoints: [`src/${stub}.ts`], bundle: true });
    await save(`${stub}.js`, built.outputFiles[0].contents);
  }
  const keys = [...(await readFile(join(here, "src/shared.ts"), "utf8")).matchAll(/^ {2}"?([^\s":,]+)"?[:,]/gm)].map(
    (m) => m[1],
  );
  const more = await esbuild.build({
    ...bundle,
    entryPoints: ["src/more_views.ts"],
    plugins: [sharedWith(id, keys)],
    logLevel: "error",
  });
  const chunk = more.outputFiles[0].contents;
  if (chunk.length > CHUNK_BUDGET_BYTES)
    throw new Error(`more_views.js has ${chunk.length} B, more than ${CHUNK_BUDGET_BYTES}`);
  await save("more_views.js.gz", gzipSync(chunk, { level: 9 }));
  const host = await esbuild.build({ ...common, format: "iife", entryPoints: ["src/host.ts"], bundle: true });
  await save("host.js", host.outputFiles[0].contents);
  if (code.length > BUNDLE_BUDGET_BYTES)
    throw new Error(`runtime.js has ${code.length} B, more than ${BUNDLE_BUDGET_BYTES}`);
}

async function graphviz() {
  const path = join(here, "node_modules", "@hpcc-js", "wasm-graphviz", "dist", "index.js");
  const code = (await readFile(path, "utf8")).replace(/^\/\/# sourceMappingURL.*$/m, "");
  await save("graphviz.js.gz", gzipSync(code, { level: 9 }));
}

await mkdir(out, { recursive: true });
await build();
await graphviz();
if (process.argv.includes("--watch")) {
  const rebuild = {
    name: "save",
    setup: (b) => b.onEnd((r) => r.outputFiles && save("runtime.js", r.outputFiles[0].contents)),
  };
  const watcher = await esbuild.context({ ...bundle, define: { BUILD: '"watch"' }, plugins: [packedCss, rebuild] });
  await watcher.watch();
}
