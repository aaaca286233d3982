// All cases of page.mjs with the driver's page. node page_served.mjs DRIVER
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, run, serve } from "./driver.mjs";

const server = await serve("--workflows", "hello,refund,research");
await run({
  async "the page works with this server like with every server"() {
    const script = fileURLToPath(new URL("page.mjs", import.meta.url));
    const child = spawn(process.execPath, [script, server.url], { stdio: "inherit" });
    process.on("exit", () => child.kill("SIGKILL"));
    const [code] = await once(child, "exit");
    expect(code === 0, `page.mjs ended with ${code}`);
    await server.stop();
  },
});
