// Pictures of workflows: weft's own Mermaid text, laid out by Graphviz (as WebAssembly), coloured by the style sheet.
import { instance } from "@viz-js/viz";

const graphviz = await instance();
const shapes = { "[": "box", "([": "box" };

/// Returns an SVG for the text that `weft graph` and mermaid() write, or null for other diagrams.
export function picture(mermaid) {
  const rows = [];
  let name = "Graph of a workflow";
  for (const line of mermaid.trim().split("\n").map((one) => one.trim())) {
    const node = line.match(/^(\w+)(\(?\[)"(.*?)"\]\)?(?:\{.*\})?:::(\w+)$/);
    const edge = line.match(/^(\w+) (-->|==>|-\.->)(?:\|(.*?)\|)? (\w+)$/);
    if (node) {
      const [, id, kind, label, look] = node;
      const style = kind === "[" ? "filled" : "filled,rounded";
      const text = label.replace(/<br\/?>/g, "\\n");
      rows.push(`${id} [label="${text}", shape=${shapes[kind]}, style="${style}", class="${look}"];`);
      if (look.startsWith("start")) name = `Graph of the workflow that begins with ${label.replace(/&\w+;/g, "")}`;
    } else if (edge) {
      const [, from, arrow, label, to] = edge;
      const style = { "==>": "bold", "-.->": "dashed", "-->": "solid" }[arrow];
      rows.push(`${from} -> ${to} [style=${style}${label ? `, label="  ${label} "` : ""}];`);
    } else if (!/^(flowchart|classDef|%%|$)/.test(line)) {
      return null;
    }
  }
  const dot = `digraph { bgcolor=transparent; node [fontname="Helvetica", fontsize=13, height=0.42, margin="0.2,0.06"];
    edge [fontname="Helvetica", fontsize=11]; ranksep=0.35; nodesep=0.35; ${rows.join("\n")} }`;
  const svg = graphviz.renderString(dot, { format: "svg", engine: "dot" });
  return svg.slice(svg.indexOf("<svg")).replace(/<!--[\s\S]*?-->\n?/g, "").replace(/<title>[^<]*<\/title>\n?/g, "")
    .replace(/ (fill|stroke)="(?!none|transparent)[^"]*"/g, "").replace(/ (font-family|id)="[^"]*"/g, "")
    .replace(/ xmlns:xlink="[^"]*"/, "")
    .replace(/width="(\d+)pt" height="\d+pt"/, (_, points) => `style="width:${Math.round(points * 1.2)}px"`)
    .replace("<svg", `<svg class="graph" role="img" aria-label="${name}"`).replace(/\n/g, "");
}
