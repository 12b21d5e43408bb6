/** @module tessera/telemetry: traces and metrics of an engine through the OpenTelemetry API. */
