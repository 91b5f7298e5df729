// Builds the site's scripts and styles. Each file at the top of src/ becomes one file of the site with the same name.
//
//   node build.mjs             writes ../autograder/web/static/web
//   node build.mjs --out DIR   writes DIR
//   node build.mjs --check     builds into a temporary folder and lists the committed files that differ
//
// The same sources and the same lock file give the same bytes on every machine: no hashes, dates or paths in the output.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const COMMITTED = join(HERE, "..", "autograder", "web", "static", "web");
const LICENCES = "licenses.txt";
const BANNER = `/* Gradus. Licences of the libraries in it: ${LICENCES} */`;

function entries() {
  return readdirSync(join(HERE, "src"))
    .filter((name) => /\.(js|css)$/.test(name))
    .sort()
    .map((name) => join(HERE, "src", name));
}

// Every browser that runs these scripts supports woff2, so the older formats are left out.
const onlyWoff2 = {
  name: "only-woff2",
  setup(bundler) {
    bundler.onLoad({ filter: /katex[^/]*\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\("[a-z]+"\)/g, ""),
      loader: "css",
    }));
  },
};

async function bundle(out) {
  const result = await build({
    absWorkingDir: HERE,
    entryPoints: entries(),
    outdir: out,
    assetNames: "fonts/[name]",
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    loader: { ".woff2": "file" },
    legalComments: "none",
    banner: { js: BANNER, css: BANNER },
    metafile: true,
    logLevel: "warning",
    plugins: [onlyWoff2],
  });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, LICENCES), licences(result.metafile));
  for (const name of readdirSync(join(HERE, "src"))) {
    if (name.endsWith(".svg")) copyFileSync(join(HERE, "src", name), join(out, name));
  }
}

function licences(metafile) {
  const used = new Map();
  for (const [file, { bytesInOutput }] of bundledInputs(metafile)) {
    const found = file.match(/^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//);
    if (found && bytesInOutput > 0) used.set(found[2], join(HERE, found[1]));
  }
  const texts = [...used].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, folder]) => licence(folder));
  return `The scripts and styles in this folder contain these libraries.\n\n${texts.join("\n")}`;
}

function bundledInputs(metafile) {
  return Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
}

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((candidate) => /^licen[cs]e/i.test(candidate));
  if (!file) throw new Error(`${name} ${version} has no licence file, so it cannot be bundled.`);
  const title = `${name} ${version} (${license})`;
  return `${title}\n${"-".repeat(title.length)}\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

function differences(fresh, committed) {
  const names = new Set([...filesUnder(fresh), ...filesUnder(committed)]);
  return [...names].filter((name) => {
    const [built, stored] = [join(fresh, name), join(committed, name)];
    return !existsSync(built) || !existsSync(stored) || !readFileSync(built).equals(readFileSync(stored));
  });
}

async function check() {
  const fresh = mkdtempSync(join(tmpdir(), "gradus-frontend-"));
  try {
    await bundle(fresh);
    const changed = differences(fresh, COMMITTED);
    if (changed.length) {
      console.error(`These files differ from a fresh build: ${changed.join(", ")}. Run: npm run build`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

async function rebuild(out) {
  rmSync(out, { recursive: true, force: true }); // so that a removed source leaves no built file behind
  await bundle(out);
  for (const name of filesUnder(out)) {
    console.log(`${basename(out)}/${name}  ${readFileSync(join(out, name)).length.toLocaleString("en")} bytes`);
  }
}

const [option, folder] = process.argv.slice(2);
if (option === "--check") await check();
else await rebuild(option === "--out" ? folder : COMMITTED);
