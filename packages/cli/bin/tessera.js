#!/usr/bin/env node
// Checked in, so that npm can link it before the first build; everything else is compiled from src.
import { main, processIo } from "../dist/index.js";

main(process.argv.slice(2), processIo()).then((code) => {
  process.exitCode = code;
});
