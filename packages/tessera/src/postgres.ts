/** @module tessera/postgres: the PostgreSQL store. */
export {
  type PostgresClient,
  type PostgresConnection,
  type PostgresOptions,
  type PostgresPool,
  type PostgresQuery,
  type PostgresResult,
  type PostgresStore,
  type PostgresTarget,
  postgresStore,
  type RetryOptions,
} from "@tessera/persist/postgres";
