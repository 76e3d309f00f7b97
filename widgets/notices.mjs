// The licences of what the built files hold of others: each npm package by name, version and licence, with the full text
// that it ships. build.mjs writes them to NOTICES.txt beside the bundle, so the wheel and exported pages carry them.
//
//   const notices = new Notices(here);
//   notices.add(built);            after each esbuild build with a metafile: the packages that it read
//   await notices.text();          throws when a package states no licence or ships no text of it
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Compiled into a package as WebAssembly, where its package.json does not say so; `version` is asked of the code itself. */
const COMPILED_IN = {
  "@hpcc-js/wasm-graphviz": [
    {
      name: "Graphviz",
      license: "EPL (Eclipse Public License)",
      source: "https://gitlab.com/graphviz/graphviz",
      version: async (path) => (await (await import(path)).Graphviz.load()).version(),
      text:
        "Distributed in object form, unmodified, under the Eclipse Public License, as the file COPYING of its source states.\n" +
        "The source of this release is the tag of its version at the address above. It comes without warranties or\n" +
        "conditions of any kind, and its contributors are not liable for damages.",
    },
    {
      name: "Expat",
      license: "MIT",
      source: "https://github.com/libexpat/libexpat",
      text: "The licence is the file COPYING of its source.",
    },
  ],
};
/** The folder of the package that a file is in: of a package within a package, the inner one. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

export class Notices {
  #folder;
  #packages = new Set();
  #comments = new Set();

  constructor(folder) {
    this.#folder = folder;
  }

  /** Note what a build read, and the legal comments that it took out of the code. */
  add({ metafile, outputFiles }) {
    for (const input of Object.keys(metafile.inputs)) {
      const folder = input.match(PACKAGE)?.[0];
      if (folder !== undefined) this.#packages.add(folder);
    }
    for (const file of outputFiles ?? []) if (file.path.endsWith(".LEGAL.txt")) this.#comments.add(file.text.trim());
  }

  addPackage(name) {
    this.#packages.add(`node_modules/${name}`);
  }

  async text() {
    const parts = await Promise.all([...this.#packages].sort().map((folder) => this.#package(folder)));
    const head =
      "xg2lab's notebook views contain the following software of others. xg2lab itself is licensed under Apache-2.0.";
    return `${[head, ...parts.flat(), ...this.#comments].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
  }

  async #package(inside) {
    const folder = join(this.#folder, inside);
    const { name, version, license, homepage, repository, main, module } = JSON.parse(
      await readFile(join(folder, "package.json"), "utf8"),
    );
    const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
    if (!license || files.length === 0)
      throw new Error(`${name} is bundled and ${license ? "ships no text of its licence" : "states no licence"}`);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    const source = (repository?.url ?? repository ?? homepage ?? "").replace(/^git\+/, "");
    const entry = join(folder, module ?? main ?? "dist/index.js");
    const inner = (COMPILED_IN[name] ?? []).map(async (part) =>
      notice({ ...part, version: (await part.version?.(entry)) ?? "", within: name }),
    );
    return [notice({ name, version, license, source, text: texts.join("\n") }), ...(await Promise.all(inner))];
  }
}

function notice({ name, version, license, source, text, within }) {
  const lines = [
    `${name} ${version}`.trim() + (within ? ` (within ${within})` : ""),
    `License: ${license}`,
    ...(source ? [`Source: ${source}`] : []),
  ];
  return `${lines.join("\n")}\n\n${text.trim()}`;
}
