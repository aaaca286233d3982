import { readFileSync } from "node:fs";
import { picture } from "../graphs.mjs";
import { slug } from "../pages.mjs";
import { base } from "../relocate.mjs";

const { out, staged, work } = JSON.parse(process.env.WEFT_SITE);
const escape = (text) => text.replaceAll("{{", "&#123;&#123;");

// VitePress declares its box of the search as a button, puts links into options, names results by other words than they
// show, and labels keys that have no role.
const search_changes = [
  [/role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/, 'role="dialog"'],
  [/:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]*"\s+role="option"/, 'role="none"'],
  [/:aria-label="\[\.\.\.p\.titles[^"]*"/, `:id="'localsearch-item-' + index" :aria-selected="selectedIndex === index"
    role="option"`],
  [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
];
const search_box = {
  name: "accessible-search",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/VPLocalSearchBox.vue")) return null;
    return search_changes.reduce((text, [from, to]) => {
      const mended = text.replace(from, to);
      if (mended === text) throw new Error(`VPLocalSearchBox.vue has changed: ${from} matches nothing`);
      return mended;
    }, code);
  },
};

export default {
  lang: "en",
  title: "weft",
  description: "An event-driven workflow engine in C++20 for programs and for agents",
  base,
  srcDir: staged,
  outDir: out,
  cacheDir: `${work}/cache`,
  metaChunk: true,
  router: { prefetchLinks: false },
  buildConcurrency: 1,  // else the index of the search has another order in each build
  head: [["meta", { name: "color-scheme", content: "light dark" }]],
  transformHead: ({ pageData }) => [["link", { rel: "alternate", type: "text/markdown",
    href: base + pageData.relativePath, title: "This page as Markdown" }]],
  vite: { plugins: [search_box], publicDir: `${staged}/public`, logLevel: "warn",
    build: { chunkSizeWarningLimit: 5000, assetsInlineLimit: 0 } },
  markdown: {
    html: false,
    image: { lazyLoading: true },
    attrs: { disable: true },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: slug },
    toc: { slugify: slug },
    // A line that takes longer than the usual limit would lose its colours, so bytes would depend on the machine's load.
    codeTransformers: [{ name: "no_limit", preprocess(_code, options) { options.tokenizeTimeLimit = 0; } }],
    config(md) {
      md.disable("emoji");
      const { text: shown, fence } = md.renderer.rules;
      md.renderer.rules.text = (tokens, at, ...more) =>
        escape(shown ? shown(tokens, at, ...more) : md.utils.escapeHtml(tokens[at].content));
      md.renderer.rules.code_inline = (tokens, at) => `<code v-pre>${md.utils.escapeHtml(tokens[at].content)}</code>`;
      md.renderer.rules.fence = (tokens, at, ...more) => {
        const graph = tokens[at].info.trim() === "mermaid" ? picture(tokens[at].content) : null;
        return graph ? `<div class="graph-frame" tabindex="0" v-pre>${graph}</div>\n` : fence(tokens, at, ...more);
      };
      md.core.ruler.push("empty_headers", ({ tokens }) => tokens.forEach((one, at) => {
        if (one.type === "th_open" && !tokens[at + 1].content) one.tag = tokens[at + 2].tag = "td";
      }));
      md.renderer.rules.table_open = () => '<div class="table-frame" tabindex="0"><table>\n';
      md.renderer.rules.table_close = () => "</table></div>\n";
    },
  },
  themeConfig: {
    search: { provider: "local", options: { detailedView: false, translations: {
      button: { buttonText: "Search (/)", buttonAriaLabel: "Search (/)" } } } },
    sidebar: globalThis.weft_sidebar,
    outline: { level: [2, 3], label: "On this page" },
    nav: [
      { text: "Tutorial", link: "/tutorial/01_hello", activeMatch: "^/tutorial/" },
      { text: "Reference", link: "/reference/", activeMatch: "^/reference/" },
      { text: "Operating", link: "/operations" },
    ],
    docFooter: { prev: "Before", next: "Next" },
  },
};
