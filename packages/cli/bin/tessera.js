#!/usr/bin/env node
// Checked in, so that npm can link it before the first build; everything else is compiled from src.
import "../dist/index.js";
