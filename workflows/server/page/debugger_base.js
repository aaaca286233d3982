// Where a proxy serves weft below a path, such as /weft/debugger, LlamaIndex's debugger asks at the root, unless the
// address of its page says where: ?api=https://example.com/weft. Runs before the debugger does.
const page = new URL(location.href);
const base = page.pathname.endsWith("/debugger") ? page.pathname.slice(0, -"/debugger".length) : "";
if (base && !page.searchParams.has("api")) {
  page.searchParams.set("api", page.origin + base);
  history.replaceState(null, "", page);
}
