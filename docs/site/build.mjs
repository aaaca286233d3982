// Makes the site of static files.
//
//     node build.mjs OUT         e.g. build/site; beside it the folder OUT.work is used
//
// With WEFT_SITE_URL, such as https://example.org/weft/, the site has a sitemap, whose addresses must be whole.
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "vitepress";
import { collect } from "./pages.mjs";
import { relocate } from "./relocate.mjs";

const site = dirname(fileURLToPath(import.meta.url)), root = resolve(site, "../..");
const out = resolve(process.argv[2] ?? join(root, "build/site")), work = `${out}.work`;
rmSync(work, { recursive: true, force: true });
rmSync(out, { recursive: true, force: true });

execFileSync("python3", ["-B", join(site, "reference.py"), join(work, "reference")], { stdio: "inherit" });
const { pages, sidebar } = collect(root, join(work, "reference"));
const staged = join(work, "pages");
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
for (const [here, page] of pages) {
  const front = { title: page.title, description: page.about, ...(here === "index" ? { titleTemplate: false } : {}),
    ...(here === "reference/names" ? { search: false, outline: false } : {}),
    ...(page.is_source ? { search: false, sidebar: false, outline: false } : {}) };
  write(join(staged, `${here}.md`), `---\n${JSON.stringify(front)}\n---\n${page.text}`);
}
for (const to of ["pictures", "public/pictures"])  // for the pages, and for those in Markdown
  cpSync(join(root, "docs/pictures"), join(staged, to), { recursive: true });
symlinkSync(join(site, "node_modules"), join(work, "node_modules"));  // the pages import Vue

process.env.WEFT_SITE = JSON.stringify({ out, staged, work });
globalThis.weft_sidebar = sidebar;
await build(site);

relocate(out, [...pages.keys()]);
for (const [here, page] of pages) write(join(out, `${here}.md`), page.text);

// For coding agents: a list of the pages, and all pages but the sources in one file.
const here_of = (link) => link.slice(1).replace(/(^|\/)$/, "$1index");
const listed = (one) => one.items ? one.items.flatMap(listed) : [{ here: here_of(one.link), name: one.text }];
const parts = [
  ...["/", "/reference/", "/decisions/"].flatMap((one) => sidebar[one].slice(0, -1)),
  { text: "Versions", items: sidebar["/"].at(-1).items.slice(3) }];
const order = parts.flatMap(listed).map((one) => one.here);
write(join(out, "llms.txt"), `# weft\n\n> ${pages.get("index").about}\n\n` +
  "Each page is Markdown at its address with .md in place of .html. [llms-full.txt](llms-full.txt) has all.\n\n" +
  parts.map((part) => `## ${part.text}\n\n` + listed(part).map(({ here, name }) =>
    `- [${name}](${here}.md)${pages.get(here).about ? `: ${pages.get(here).about}` : ""}`).join("\n")).join("\n\n") +
  "\n");
write(join(out, "llms-full.txt"), order.map((here) => `<!-- ${here}.md -->\n\n${pages.get(here).text}`).join("\n\n"));
if (process.env.WEFT_SITE_URL) {
  const url = process.env.WEFT_SITE_URL.replace(/\/*$/, "/");
  write(join(out, "sitemap.xml"), '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' +
    order.map((here) => `<url><loc>${new URL(`${here}.html`, url)}</loc></url>\n`).join("") + "</urlset>\n");
}
write(join(out, "404.html"), readFileSync(join(site, "not_found.html"), "utf8")
  .replace("FOLDERS", JSON.stringify([...new Set([...pages.keys()].filter((one) => one.includes("/"))
    .map((one) => one.split("/")[0]))])));
if (!process.env.WEFT_SITE_KEEP) rmSync(work, { recursive: true });
console.log(`site: ${order.length} pages, and ${pages.size - order.length} of sources, in ${out}`);
