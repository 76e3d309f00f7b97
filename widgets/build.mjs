// Builds what the Python side reads from xg2lab/widgets/static: the bundle, three stubs, three chunks (the editor, further views, what saves pictures), the
// exported page's host, Graphviz as an asset, the licences of all that these hold (notices.mjs).
//
//   node build.mjs            build once, print sizes, fail when the bundle is over its budget
//   node build.mjs --watch    rebuild the bundle on change
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { Notices } from "./notices.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "xg2lab", "widgets", "static");
const BUNDLE_BUDGET_BYTES = 200 * 1024;
const EDITOR_BUDGET_BYTES = 350 * 1024;
const MORE_VIEWS_BUDGET_BYTES = 156 * 1024; // of which OperatorView takes 10
const PICTURE_BUDGET_BYTES = 24 * 1024;

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
  plugins: [packedCss],
};

/** The bundle's modules that a chunk is lent, each with the members that it may name: see src/core_modules.ts. */
const lent = async () => {
  const source = await readFile(join(here, "src", "core_modules.ts"), "utf8");
  return new Map([...imports(source)].map(([path, members]) => [path.replace(/^\.\//, ""), new Set(members)]));
};
/** What a source imports or passes on, values only: path, members. */
const imports = (source) =>
  [...source.matchAll(/^(?:im|ex)port \{([^}]*)\} from "([^"]+)"/gm)].map(([, members, path]) => [
    path,
    members
      .split(",")
      .map((member) => member.trim().replace(/ as .*/, ""))
      .filter((member) => member && !member.startsWith("type ")),
  ]);
/** What a source imports by a path, as the bundle names its modules: from src/, or as a package. */
const nameOf = (path, importer) =>
  path.startsWith(".") ? relative(join(here, "src"), join(dirname(importer), path)) : path;
/** A chunk that names what it is not lent would find `undefined` there, once somebody opens it. */
async function allIsLent(inputs) {
  const modules = await lent();
  for (const input of inputs.filter((path) => !path.includes("node_modules") && /\.tsx?$/.test(path)))
    for (const [path, members] of imports(await readFile(join(here, input), "utf8"))) {
      const known = modules.get(nameOf(path, join(here, input)));
      const missing = known && members.filter((member) => !known.has(member));
      if (missing?.length) throw new Error(`${input}: core_modules.ts does not lend ${missing.join(", ")} of ${path}`);
    }
}
/** Leaves the bundle's modules out of a chunk; they come from the function that it is called with. */
const fromBundle = {
  name: "from-bundle",
  async setup(build) {
    const names = await lent();
    build.onResolve({ filter: /./ }, ({ path, kind, importer }) => {
      if (kind === "entry-point" || importer.includes("node_modules")) return undefined;
      const name = nameOf(path, importer);
      return names.has(name) ? { path: name, external: true } : undefined;
    });
  },
};
/** A chunk: a module whose one export is a function from the bundle's modules to its own exports. */
const chunk = {
  ...bundle,
  format: "cjs",
  plugins: [fromBundle, packedCss],
  banner: { js: "export default (require) => { const module = { exports: {} };" },
  footer: { js: "return module.exports; };" },
};

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
  await save("runtime.js.gz", gzipSync(code, { level: 9 }));
  for (const stub of ["stub_runtime", "stub_view", "stub_session"]) {
    const built = await esbuild.build({ ...common, entryPoints: [`src/${stub}.ts`], bundle: true });
    await save(`${stub}.js`, codeOf(built));
  }
  const host = await esbuild.build({ ...common, format: "iife", entryPoints: ["src/host.ts"], bundle: true });
  await save("host.js", codeOf(host));
  if (code.length > BUNDLE_BUDGET_BYTES)
    throw new Error(`runtime.js has ${code.length} B, more than ${BUNDLE_BUDGET_BYTES}`);
}

async function makeChunk(name, entry, budget) {
  const built = await esbuild.build({ ...chunk, entryPoints: [entry] });
  await allIsLent(Object.keys(built.metafile.inputs));
  const code = codeOf(built);
  console.log(`${String(code.length).padStart(9)} B  ${name}.js, as it runs`);
  await save(`${name}.js.gz`, gzipSync(code, { level: 9 }));
  if (code.length > budget) throw new Error(`${name}.js has ${code.length} B, more than ${budget}`);
}

async function graphviz() {
  const path = join(here, "node_modules", "@hpcc-js", "wasm-graphviz", "dist", "index.js");
  const code = (await readFile(path, "utf8")).replace(/^\/\/# sourceMappingURL.*$/m, "");
  await save("graphviz.js.gz", gzipSync(code, { level: 9 }));
  notices.addPackage("@hpcc-js/wasm-graphviz");
}

await mkdir(out, { recursive: true });
await build();
await makeChunk("editor", "src/editor/entry.ts", EDITOR_BUDGET_BYTES);
await makeChunk("more_views", "src/more_views.ts", MORE_VIEWS_BUDGET_BYTES);
await makeChunk("picture", "src/picture/entry.ts", PICTURE_BUDGET_BYTES);
await graphviz();
await save("NOTICES.txt", await notices.text());
if (process.argv.includes("--watch")) {
  const rebuild = {
    name: "save",
    setup: (b) => b.onEnd((r) => r.outputFiles && save("runtime.js.gz", gzipSync(codeOf(r)))),
  };
  const watcher = await esbuild.context({ ...bundle, define: { BUILD: '"watch"' }, plugins: [packedCss, rebuild] });
  await watcher.watch();
}
