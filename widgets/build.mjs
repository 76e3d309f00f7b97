// Builds what the Python side reads from xg2lab/widgets/static: the bundle, three stubs, three chunks (the editor, what saves pictures, the tour),
// the exported page's host, the saved outputs' script, JupyterLab's extension, the student's page, Graphviz as an asset, the licences of all that these hold
// (notices.mjs).
//
//   node build.mjs            build once, print sizes, fail when something is over its budget
//   node build.mjs --watch    rebuild the bundle on change
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { Notices } from "./notices.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "xg2lab", "widgets", "static");
/** What the code of all views may add to a saved notebook: the bundle, compressed, in base 85. */
const SAVED_BUDGET_BYTES = 219 * 1024;
/** What a page with a kernel is sent once, when it first shows a pad or saves a picture: compressed. */
const CHUNK_BUDGET_BYTES = { editor: 140 * 1024, picture: 8 * 1024, tour: 4 * 1024 };

/** A style sheet is a text of the code that imports it: minified here, compressed with the code. */
const cssText = {
  name: "css-text",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const sheet = { entryPoints: [path], bundle: true, minify: true, target: "es2022", write: false, metafile: true };
      const { outputFiles, metafile } = await esbuild.build({ ...sheet, absWorkingDir: here });
      const watchFiles = Object.keys(metafile.inputs).map((input) => join(here, input));
      return { contents: outputFiles[0].text, loader: "text", watchFiles };
    });
  },
};

const common = {
  absWorkingDir: here,
  format: "esm",
  minify: true,
  target: "es2022",
  legalComments: "external", // taken out of the code, into NOTICES.txt
  outdir: out,
  write: false,
  metafile: true,
};
const notices = new Notices(here);
/** The code of a build; what it holds of others is noted. */
function codeOf(built) {
  notices.add(built);
  return built.outputFiles.find(({ path }) => path.endsWith(".js")).contents;
}
const bundle = {
  ...common,
  entryPoints: ["src/bundle.ts"],
  bundle: true,
  // h(tag, props, ...children) is shorter than the automatic form by a word a node, 5 KB in all
  tsconfigRaw: {
    compilerOptions: { jsx: "react", jsxFactory: "$h", jsxFragmentFactory: "$Fragment", target: "es2022" },
  },
  inject: ["src/jsx.ts"],
  plugins: [cssText],
};

/** What bundle.ts lends: a chunk that held a copy of these would draw beside the bundle, not within it. */
const PACKAGES = ["preact", "preact/hooks", "@preact/signals"];
const KIT = join(here, "src", "kit");
const lent = (folder) => ({
  name: "lent",
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, kind, importer, resolveDir }) => {
      if (kind === "entry-point" || importer.includes("node_modules")) return undefined;
      if (PACKAGES.includes(path)) return { path, external: true };
      const target = path.startsWith(".") ? join(resolveDir, path) : null;
      if (target === KIT) return { path: "kit", external: true };
      if (target === null || target.startsWith(folder + sep)) return undefined;
      return { errors: [{ text: `a chunk takes from src/kit.ts what lies outside its folder, not from ${path}` }] };
    });
  },
});
/** A chunk: a module whose one export is a function from the bundle's modules to its own exports. */
const chunk = (folder) => ({
  ...bundle,
  format: "cjs",
  entryPoints: [join(folder, "entry.ts")],
  inject: [join(folder, "jsx.ts")].filter(existsSync),
  plugins: [lent(folder), cssText],
  banner: { js: "export default (require) => { const module = { exports: {} };" },
  footer: { js: "return module.exports; };" },
});

async function save(name, contents) {
  await writeFile(join(out, name), contents);
  console.log(`${String(contents.length).padStart(9)} B  ${name}`);
}

async function build() {
  const draft = await esbuild.build({ ...bundle, define: { BUILD: '"draft"' } });
  const id = createHash("sha256").update(draft.outputFiles[0].contents).digest("hex").slice(0, 12);
  const final = await esbuild.build({ ...bundle, define: { BUILD: JSON.stringify(id) } });
  const code = codeOf(final);
  console.log(`${String(code.length).padStart(9)} B  runtime.js, as it runs`);
  const packed = gzipSync(code, { level: 9 });
  await save("runtime.js.gz", packed);
  for (const stub of ["stub_runtime", "stub_view", "stub_session"]) {
    const built = await esbuild.build({ ...common, entryPoints: [`src/${stub}.ts`], bundle: true });
    await save(`${stub}.js`, codeOf(built));
  }
  for (const script of ["host", "saved"]) {
    const built = await esbuild.build({ ...common, format: "iife", entryPoints: [`src/${script}.ts`], bundle: true });
    await save(`${script}.js`, codeOf(built));
  }
  const saved = Math.ceil(packed.length / 4) * 5;
  console.log(`${String(saved).padStart(9)} B  in a saved notebook`);
  if (saved > SAVED_BUDGET_BYTES)
    throw new Error(`the views take ${saved} B of a saved notebook, more than ${SAVED_BUDGET_BYTES}`);
}

async function makeChunk(name) {
  const built = await esbuild.build(chunk(join(here, "src", name)));
  const packed = gzipSync(codeOf(built), { level: 9 });
  await save(`${name}.js.gz`, packed);
  const budget = CHUNK_BUDGET_BYTES[name];
  if (packed.length > budget) throw new Error(`${name}.js.gz has ${packed.length} B, more than ${budget}`);
}

/**
 * JupyterLab's extension: its script, under a name that changes with it, and the package.json by which JupyterLab finds it. The script is
 * a container of module federation by itself (src/lab/extension.ts), so no bundler of that protocol is needed.
 */
async function lab() {
  const entryPoints = ["src/lab/extension.ts"];
  const code = codeOf(await esbuild.build({ ...common, format: "iife", entryPoints, bundle: true }));
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 12);
  const load = `static/remoteEntry.${hash}.js`;
  const init = await readFile(join(here, "..", "xg2lab", "__init__.py"), "utf8");
  const version = /^__version__ = "(.+)"$/m.exec(init)?.[1];
  if (!version) throw new Error('xg2lab/__init__.py has no line __version__ = "..."');
  const description = "Views of constrained decoding in tabs and in the right sidebar";
  const jupyterlab = { extension: true, _build: { load, extension: "./extension" } };
  const facts = { name: "xg2lab", version, description, license: "Apache-2.0", jupyterlab };
  await mkdir(join(out, "lab", "static"), { recursive: true });
  await save(join("lab", load), code);
  await save(join("lab", "package.json"), `${JSON.stringify(facts, null, 2)}\n`);
  await follow();
  const installer = { packageManager: "python", packageName: "xg2lab", uninstallInstructions: "pip uninstall xg2lab" };
  await save(join("lab", "install.json"), `${JSON.stringify(installer, null, 2)}\n`);
}

/** The student's page, beside the extension: the server serves both. The script's address changes with it, as caches keep it. */
async function follow() {
  const entryPoints = ["src/follow/page.ts"];
  const code = codeOf(await esbuild.build({ ...common, format: "iife", entryPoints, bundle: true }));
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 12);
  const page = await readFile(join(here, "src", "follow", "follow.html"), "utf8");
  await save(join("lab", "static", "follow.js"), code);
  await save(join("lab", "static", "follow.html"), page.replace("SCRIPT", `follow.js?${hash}`));
}

async function graphviz() {
  const path = join(here, "node_modules", "@hpcc-js", "wasm-graphviz", "dist", "index.js");
  const code = (await readFile(path, "utf8")).replace(/^\/\/# sourceMappingURL.*$/m, "");
  await save("graphviz.js.gz", gzipSync(code, { level: 9 }));
  notices.addPackage("@hpcc-js/wasm-graphviz");
}

await mkdir(out, { recursive: true });
await build();
for (const name of Object.keys(CHUNK_BUDGET_BYTES)) await makeChunk(name);
await lab();
await graphviz();
await save("NOTICES.txt", await notices.text());
if (process.argv.includes("--watch")) {
  const rebuild = {
    name: "save",
    setup: (b) => b.onEnd((r) => r.outputFiles && save("runtime.js.gz", gzipSync(codeOf(r)))),
  };
  const watcher = await esbuild.context({ ...bundle, define: { BUILD: '"watch"' }, plugins: [cssText, rebuild] });
  await watcher.watch();
}
