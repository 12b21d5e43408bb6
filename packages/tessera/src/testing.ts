/** @module tessera/testing: an engine on a manual clock, scripted ports. */
export {
  answers,
  type CountedStore,
  countedStore,
  HANGS,
  type ManualClock,
  manualClock,
  type ScriptedAnswer,
  type ScriptedPort,
  scriptedPort,
  type TestEngine,
  type TestOptions,
  testEngine,
  throws,
} from "@tessera/engine/testing";
