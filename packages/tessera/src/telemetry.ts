/** @module tessera/telemetry: traces and metrics of an engine through the OpenTelemetry API. */
export {
  type TelemetryOptions,
  telemetry,
} from "@tessera/engine/telemetry";
