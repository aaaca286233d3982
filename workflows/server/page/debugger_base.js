// LlamaIndex's debugger sends requests to the root, even if a proxy serves weft below a path, such as /weft/debugger.
// The address of its page can name the server: ?api=https://example.com/weft. This script runs before the debugger.
const page = new URL(location.href);
const base = page.pathname.endsWith("/debugger") ? page.pathname.slice(0, -"/debugger".length) : "";
if (base && !page.searchParams.has("api")) {
  page.searchParams.set("api", page.origin + base);
  history.replaceState(null, "", page);
}
