// Makes a built site independent of its address: VitePress wants to know the base, and refuses a relative one. The site
// is built for the base below; here each page gets relative addresses, and the scripts ask for the base when they run.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const base = ["", "weft-base", "of-the-site", ""].join("/");  // in no source: a page shows this file
const quoted = new RegExp(`(["'])${base}((?:[^"'\\\\]|\\\\.)*)\\1`, "g"), template = new RegExp("`" + base, "g");

const mark = "@base@";

export function relocate(out) {
  for (const name of readdirSync(out, { recursive: true }).map(String).sort()) {
    if (!/\.(html|js|css|json)$/.test(name)) continue;
    const file = join(out, name), before = readFileSync(file, "utf8");
    const up = "../".repeat(name.split("/").length - 1) || "./";
    let text = before;
    if (name.endsWith(".html")) {
      const script = `<script>window.__weft_base=new URL(${JSON.stringify(up)},location.href).pathname</script>`;
      text = text.replaceAll(base, up).replace(/<head>/, `<head>\n    ${script}`);
    } else if (name.includes("@localSearchIndex")) {  // one string with the JSON of the index
      text = text.replaceAll(base, mark)
        .replace(/^const (\w+)='/, `const $1=((text)=>text.replaceAll("${mark}",window.__weft_base))('`)
        .replace(/';export\{/, "');export{");
    } else if (name.endsWith(".js")) {
      text = text.replaceAll(`\\"base\\":\\"${base}\\"`, `\\"base\\":\\"/\\"`);
      if (text !== before) text += "window.__VP_SITE_DATA__.base=window.__weft_base;\n";
      text = text.replace(quoted, (_, quote, rest) => `(window.__weft_base+${quote}${rest}${quote})`)
        .replace(template, () => "`${window.__weft_base}");
    } else {
      text = text.replaceAll(base, up);
    }
    if (text.includes(base)) throw new Error(`${name} keeps the base of the build`);
    if (text !== before) writeFileSync(file, text);
  }
}
