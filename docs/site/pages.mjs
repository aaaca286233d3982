// The pages of the site, from the Markdown of docs/, the README, the headers and the sources that a page links to.
//
// On a code host the sources read as they are. Here comments disappear, graphs become pictures, and links lead to pages
// of the site: a public header's to the reference, another file's to a page with its text.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";

export const slug = (title) => title.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, "").replace(/ /g, "-");
const languages = { cpp: "cpp", hpp: "cpp", py: "python", mjs: "js", js: "js", sh: "sh", json: "json", yml: "yaml",
  txt: "text", md: "md", css: "css", service: "ini", cmake: "cmake" };
const operating = ["operations", "deployment", "operators", "postgres", "troubleshooting", "exit_codes", "reliability",
  "faults", "attacks", "planted_faults", "performance"];
const start = ["install", "building", "engine", "agents"];
const guides = ["model_servers", "mcp_server", "mcp_clients", "clients", "graphs", "behaviours", "architecture",
  "contributing"];

/// Calls `change` with each piece of the text outside of fences, and `fence` with each fence.
export function outside_fences(text, change, fence = (whole) => whole) {
  return text.split(/^(```[^\n]*\n[\s\S]*?^```[ ]*$|~~~[^\n]*\n[\s\S]*?^~~~[ ]*$)/m)
    .map((piece, i) => i % 2 ? fence(piece) : change(piece)).join("");
}
const title_of = (text, path) => text.match(/^# (.+)$/m)?.[1].replace(/`/g, "") ?? path;
export function about(text) {
  const paragraph = outside_fences(text, (piece) => piece, () => "").replace(/^# .*$/m, "").trim().split(/\n\s*\n/)[0];
  const bare = paragraph.replace(/\s+/g, " ").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\\(.)/g, "$1");
  return /^[|#<!-]/.test(bare) ? "" : bare.match(/^.*?[.:](?= |$)/)?.[0].replace(/:$/, ".") ?? bare;
}

/// All pages, by their path on the site without its ending: {title, about, text, part, is_source}.
export function collect(root, reference_folder) {
  const pages = new Map(), linked = new Set();
  const index = JSON.parse(readFileSync(join(reference_folder, "index.json"), "utf8"));
  const headers = new Map(index.pages.map((one) => [one.header, `reference/${one.file.slice(0, -3)}`]));
  const docs = readdirSync(join(root, "docs"), { recursive: true }).map(String).sort()
    .filter((one) => one.endsWith(".md") && !one.startsWith("site/"));
  const place_of = (file) => file === "README.md" ? "index" : file === "docs/README.md" ? "docs" : file.slice(5, -3)
    .replace(/(^|\/)README$/, "$1index");
  const known = new Map([["README.md", "index"], ...docs.map((one) => [`docs/${one}`, place_of(`docs/${one}`)])]);

  function link(from, here, target) {
    if (/^[a-z]+:/.test(target) || target.startsWith("#")) return target;
    const [path, mark] = target.split("#");
    const file = posix.normalize(posix.join(posix.dirname(from), path)).replace(/\/$/, "");
    let to = known.get(file) ?? known.get(`${file}/README.md`) ?? headers.get(file);
    if (!to && /\.(png|svg)$/.test(file)) return posix.relative(posix.dirname(here), file.replace(/^docs\//, ""));
    if (!to) {
      if (!existsSync(join(root, file))) throw new Error(`${from}: the link to ${target} leads nowhere`);
      linked.add(file);
      to = `source/${file}`;
    }
    return posix.relative(posix.dirname(here), to + ".md") + (mark ? `#${mark}` : "");
  }
  function add(file, here, part) {
    const text = outside_fences(readFileSync(join(root, file), "utf8"), (piece) => piece
      .replace(/<!--[\s\S]*?-->\n?/g, "")
      .replace(/(`[^`]*`)|(\]\(\s*<?)([^)\s>]+)(>?)/g, (whole, code, open, target, close) =>
        code ?? `${open}${link(file, here, target)}${close}`)
      .replace(/^(\[[^\]\n]+\]:\s*)(\S+)/gm, (_, open, target) => open + link(file, here, target)));
    pages.set(here, { title: title_of(text, here), about: about(text), text, part });
  }
  add("README.md", "index", "Start");
  pages.get("index").title = "weft";
  for (const file of docs) {
    const here = place_of(`docs/${file}`);
    add(`docs/${file}`, here, file.startsWith("tutorial/") ? "Tutorial" : file.startsWith("decisions/") ? "Decisions"
      : start.includes(here) ? "Start" : operating.includes(here) ? "Operating"
      : ["versions", "CHANGELOG"].includes(here) ? "Versions" : "Guides");
  }
  add_graphs(pages, root);
  add_reference(pages, index, reference_folder);
  for (const file of linked)  // a folder of docs brings its files, and those of its folders
    if (file.startsWith("docs/") && statSync(join(root, file)).isDirectory())
      for (const one of names_in(join(root, file))) linked.add(`${file}/${one}`);
  for (const file of [...linked].sort()) add_source(pages, root, file, known, headers, linked);
  return { pages, sidebar: sidebar_of(pages, index) };
}

function add_graphs(pages, root) {
  const folder = join(root, "docs/site/graphs");
  const blocks = readdirSync(folder).sort().map((one) => {
    const name = one.replace(".mmd", "");
    return `## ${name}\n\n\`\`\`mermaid\n${readFileSync(join(folder, one), "utf8")}\`\`\`\n`;
  });
  const intro = "The workflows of the driver, as `weft graph NAME` draws them: steps are boxes, events are rounded. " +
    "A bold arrow carries any number of events; a dashed arrow leads from a question to its answer.";
  pages.set("graphs", { title: "Graphs", about: "The workflows of the driver, as pictures.", part: "Guides",
    text: `# Graphs\n\n${intro}\n\n${blocks.join("\n")}` });
}

function add_reference(pages, index, folder) {
  for (const one of index.pages) {
    const text = readFileSync(join(folder, one.file), "utf8");
    pages.set(`reference/${one.file.slice(0, -3)}`, { title: one.header, about: about(text.replace(/^.*?```\n\n/s, "")),
      text, part: "Reference" });
  }
  const parts = [...new Set(index.pages.map((one) => one.part))];
  const tables = parts.map((part) => `## ${part}\n\n| header | about |\n|---|---|\n` + index.pages
    .filter((one) => one.part === part).map((one) => {
      const page = pages.get(`reference/${one.file.slice(0, -3)}`);
      return `| [${one.header}](${one.file}) | ${page.about.replace(/\|/g, "\\|").replace(/([<\[])/g, "\\$1")} |`;
    }).join("\n") + "\n");
  const names = "names";
  pages.set("reference/index", { title: "Reference", part: "Reference", about: "Each public header, with its names.",
    text: "# Reference\n\nEach public header has a page; [all names](" + names + ".md) are listed by alphabet. A " +
      `header that no page shows, such as those of \`core\`, may change without notice.\n\n${tables.join("\n")}` });
  const by_letter = new Map();
  for (const one of [...index.names].sort((a, b) => short(a) < short(b) ? -1 : short(a) > short(b) ? 1 : 0)) {
    const letter = (short(one).match(/[a-z]/i)?.[0] ?? "#").toUpperCase();
    if (/::operator/.test(one.name) || !one.is_listed) continue;
    if (!by_letter.has(letter)) by_letter.set(letter, new Map());
    const name = one.name.replace(/^weft::/, "");
    const row = by_letter.get(letter);
    row.set(name, `[\`${name}\`](${one.page}#${one.mark})`);
  }
  pages.set("reference/names", { title: "All names", about: "The public names by alphabet.", part: "Reference",
    text: "# All names\n\nTypes and functions of the public headers, without `weft::`.\n\n" + [...by_letter].sort()
      .map(([letter, row]) => `## ${letter}\n\n${[...row.values()].join(" · ")}\n`).join("\n") });
}
const short = (one) => one.name.split("::").pop() + " " + one.name;

const names_in = (folder) => readdirSync(folder).sort().filter((one) => !/^(node_modules|__pycache__|\.)/.test(one));
/// A page with the text of a file or the names in a folder. The search leaves it out.
function add_source(pages, root, file, known, headers, linked) {
  const path = join(root, file), here = `source/${file}`;
  let text = `# ${file}\n\n`;
  if (statSync(path).isDirectory()) {
    text += names_in(path).map((one) => {
      const to = known.get(`${file}/${one}`) ?? headers.get(`${file}/${one}`) ??
        (linked.has(`${file}/${one}`) ? `source/${file}/${one}` : null);
      return to ? `- [${one}](${posix.relative(dirname(here), to + ".md")})` : `- ${one.replace(/_/g, "\\_")}`;
    }).join("\n") + "\n";
  } else {
    const content = readFileSync(path, "utf8"), fence = content.includes("```") ? "~~~~" : "```";
    const language = file.startsWith("tests/") ? "text" : languages[file.split(".").pop()] ?? "text";
    text += `${fence}${language}\n${content.replace(/\n*$/, "\n")}${fence}\n`;
  }
  pages.set(here, { title: file, about: `The file ${file}.`, text, is_source: true });
}

function sidebar_of(pages, index) {
  const of = (here, text = pages.get(here).title) => ({ text, link: `/${here.replace(/(^|\/)index$/, "$1")}` });
  const part = (name) => [...pages.keys()].filter((here) => pages.get(here).part === name);
  const ordered = (name, order) => [...order.filter((one) => pages.has(one)),
    ...part(name).filter((one) => !order.includes(one)).sort()].map((one) => of(one));
  const parts = [...new Set(index.pages.map((one) => one.part))];
  const first = { text: "Start", items: [of("index", "weft in one page"), ...ordered("Start", start)
    .filter((one) => one.link !== "/")] };
  const reference = [{ text: "Reference", items: [of("reference/index", "All headers"), of("reference/names")] },
    ...parts.map((one) => ({ text: one, items: index.pages.filter((page) => page.part === one)
      .map((page) => of(`reference/${page.file.slice(0, -3)}`)) }))];
  const decisions = { text: "Decisions", items: part("Decisions").sort().map((one) => one === "decisions/index"
    ? of(one, "All decisions") : of(one)) };
  const versions = ordered("Versions", ["versions", "CHANGELOG"]);
  return {
    "/reference/": [...reference, { text: "More", items: [of("index", "weft in one page")] }],
    "/decisions/": [decisions, { text: "More", items: [of("index", "weft in one page"), of("architecture")] }],
    "/": [first,
      { text: "Tutorial", items: part("Tutorial").sort().map((one) => of(one)) },
      { text: "Guides", items: ordered("Guides", guides) },
      { text: "Operating", items: ordered("Operating", operating) },
      { text: "Reference", items: [...reference[0].items, of("decisions/index", "Decisions"), ...versions] }],
  };
}
