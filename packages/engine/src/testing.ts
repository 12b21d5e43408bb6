/** @module @tessera/engine/testing: public names. */
export { type ManualClock, manualClock } from "./testing/manual-clock.ts";
export {
  answers,
  HANGS,
  type ScriptedAnswer,
  type ScriptedPort,
  scriptedPort,
  throws,
} from "./testing/scripted-port.ts";
export { type CountedStore, countedStore } from "./testing/settle.ts";
export { type TestEngine, type TestOptions, testEngine } from "./testing/test-engine.ts";
