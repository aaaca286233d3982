// Checks the files of a built site: each link and anchor leads somewhere, nothing leads to another host by itself, each
// page is beside its Markdown, and the text of the sources has arrived.
//
//     WEFT_SITE_URL=https://example.org/weft/ node files.mjs build/site
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const site = process.argv[2] ?? "build/site", faults = [];
const names = readdirSync(site, { recursive: true }).map(String).sort();
const pages = names.filter((one) => one.endsWith(".html") && one !== "404.html");
const text = new Map(pages.map((one) => [one, readFileSync(join(site, one), "utf8")]));
const all = (html, pattern) => [...html.matchAll(pattern)].map((found) => found[1]);
const marks = new Map(pages.map((one) => [one, new Set(all(text.get(one), /\sid="([^"]+)"/g))]));
const fault = (page, sentence) => faults.push(`${page}: ${sentence}`);
const plain = (html) => html.replace(/&amp;/g, "&").replace(/&quot;/g, '"').replace(/&#39;/g, "'");

function check_link(page, whole) {
  const link = plain(whole);
  if (/^(https?|mailto):/.test(link)) return;
  if (/^([a-z]+:|\/)/.test(link)) return fault(page, `the link to ${link} needs a certain place of the site`);
  const [path, mark] = link.split("#").map(decodeURIComponent);
  let to = path.split("?")[0] === "" ? page : normalize(join(dirname(page), path.split("?")[0]));
  if (to === "." || to.endsWith("/") || existsSync(join(site, to)) && statSync(join(site, to)).isDirectory())
    to = normalize(join(to, "index.html"));
  if (to.startsWith("..") || !existsSync(join(site, to))) return fault(page, `the link to ${link} leads nowhere`);
  if (mark && text.has(to) && !marks.get(to).has(mark)) fault(page, `the link to ${link} names no part of its page`);
}

for (const page of pages) {
  const html = text.get(page), body = html.replace(/<script[\s\S]*?<\/script>/g, "");
  for (const [, link] of body.matchAll(/<(?:a|link|img|source)\s[^>]*?(?:href|src)="([^"]*)"/g)) check_link(page, link);
  for (const [tag] of html.matchAll(/<(?:script|link|img|iframe|source)\s[^>]*(?:src|href)="(?:https?:)?\/\/[^>]*>/g))
    fault(page, `asks another host: ${tag}`);
  if (!existsSync(join(site, page.replace(/html$/, "md")))) fault(page, "has no Markdown beside it");
  const bare = body.replace(/<pre[\s\S]*?<\/pre>|<code[\s\S]*?<\/code>/g, "");
  if (/&lt;!--|<!-- (docs|tests)\//.test(bare)) fault(page, "shows a comment of its source");
  if (/::: |\[\[toc\]\]/.test(bare)) fault(page, "shows a mark of the generator");
  const twice = all(html, /<h[1-6] id="([^"]+)"/g).filter((one, i, list) => list.indexOf(one) !== i);
  if (twice.length) fault(page, `two headings have the anchor ${twice[0]}`);
}
for (const name of names.filter((one) => /\.(css|svg)$/.test(one)))
  if (/url\(["']?(https?:)?\/\/|@import/.test(readFileSync(join(site, name), "utf8"))) fault(name, "asks another host");
for (const [page, words] of [["troubleshooting", "{{"], ["tutorial/08_dialects", '{{"a": 1 "b": 2}}'],
  ["tutorial/18_plugging_in_your_own", '"properties", {{"item"'],
  ["tutorial/02_events_and_steps", "vector<variant<A, B>>"], ["source/docs/examples/agents/agent.cpp", "int main"]]) {
  const seen = plain(text.get(`${page}.html`).replace(/<[^>]+>/g, "")).replace(/&lt;/g, "<").replace(/&gt;/g, ">");
  if (!seen.includes(words)) fault(page, `does not show ${words}`);
}
for (const name of ["llms.txt", "llms-full.txt"])
  for (const [, link] of name === "llms.txt" ? readFileSync(join(site, name), "utf8").matchAll(/\]\(([^)]+)\)/g) : [])
    if (!existsSync(join(site, link))) fault(name, `the link to ${link} leads nowhere`);
const url = process.env.WEFT_SITE_URL;  // of the build
if (!url) throw new Error("set WEFT_SITE_URL, as for the build");
for (const [, place] of readFileSync(join(site, "sitemap.xml"), "utf8").matchAll(/<loc>([^<]*)<\/loc>/g))
  if (!place.startsWith(url) || !existsSync(join(site, place.slice(url.length))))
    fault("sitemap.xml", `${place} is no page`);

for (const one of faults.slice(0, 100)) console.log(one);
console.log(`${pages.length} pages, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
