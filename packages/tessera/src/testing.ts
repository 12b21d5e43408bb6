/** @module tessera/testing: an engine on a manual clock, scripted ports. */
export {
  type CountedStore,
  HANGS,
  type ManualClock,
  type ScriptedAnswer,
  type ScriptedPort,
  type TestEngine,
  type TestOptions,
  answers,
  countedStore,
  manualClock,
  scriptedPort,
  testEngine,
  throws,
} from "@tessera/engine/testing";
