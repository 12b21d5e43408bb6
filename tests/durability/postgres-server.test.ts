/** @module Where there is no PostgreSQL server its suites are skipped, and where every test must run that is a failure. */
import { afterEach, expect, it, vi } from "vitest";
import { hasPostgres } from "./postgres-server.mjs";

afterEach(() => vi.unstubAllEnvs());

it("a suite without a server is skipped, and fails with CI=true", () => {
  vi.stubEnv("CI", "");
  expect(hasPostgres("this test shows how a suite", null)).toBe(false);
  vi.stubEnv("CI", "true");
  expect(() => hasPostgres("a suite", null)).toThrow(/no PostgreSQL server.*postgresql/);
  expect(hasPostgres("a suite", "/bin")).toBe(true);
});
