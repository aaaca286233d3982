#!/usr/bin/env node
// Runs the driver of this machine's package with the launcher's own streams, and ends as the driver ends. Not by
// spawnSync: then a signal to the launcher alone would leave the driver running.
"use strict";
const { spawn } = require("node:child_process");
const { fstatSync } = require("node:fs");
const { constants } = require("node:os");

const platforms = { "linux x64": "@weft-engine/linux-x64", "linux arm64": "@weft-engine/linux-arm64" };
const systems = { darwin: "macOS", win32: "Windows", freebsd: "FreeBSD", linux: "Linux" };
const signals = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2", "SIGCONT"];
const configuration = 3; // docs/exit_codes.md

function refuse(sentence) {
  process.stderr.write(`weft: ${sentence}\n`);
  process.exit(configuration);
}

function find_driver() {
  const name = platforms[`${process.platform} ${process.arch}`];
  if (!name) {
    const system = systems[process.platform] || process.platform;
    const cure =
      process.platform === "linux" ? "compile it there" :
      process.platform === "win32" ? "run it in WSL" : "run it in a container or a virtual machine with Linux";
    refuse(`there is no weft for ${system} on ${process.arch}, only for Linux on x64 and arm64: ${cure}`);
  }
  try {
    return require.resolve(`${name}/bin/weft`);
  } catch {
    refuse(`the package ${name} is missing: install weft again without --omit=optional and --no-optional, ` +
      "and delete node_modules and the lock file first if another machine has made them");
  }
}

function is_open(number) {
  try {
    fstatSync(number);
    return true;
  } catch {
    return false; // a question may end like the name of a file
  }
}

// node closes all other files for its children: one that is an argument, such as the shell's <(command), stays open.
function streams(words) {
  const passed = ["inherit", "inherit", "inherit"];
  for (const word of words) {
    const number = /\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(word)?.[1];
    if (number === undefined || number.length > 4 || !is_open(Number(number))) continue;
    while (passed.length < Number(number)) passed.push("ignore");
    passed[Number(number)] = "inherit";
  }
  return passed;
}

const driver = find_driver();
const words = process.argv.slice(2);
const child = spawn(driver, words, { stdio: streams(words) });
const forward = (signal) => child.kill(signal);
for (const signal of signals) process.on(signal, forward);

child.on("error", (error) => {
  const cure = error.code === "EACCES" ? "its file must be executable, on a disk that allows it: chmod +x it" :
    "install weft again";
  refuse(`${driver} cannot be started (${error.code}): ${cure}`);
});
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  for (const each of signals) process.off(each, forward); // else this process would survive its own signal
  process.kill(process.pid, signal);
  process.exit(128 + constants.signals[signal]); // if node ignores the signal
});
