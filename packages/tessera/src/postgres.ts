/** @module tessera/postgres: the PostgreSQL store. */
export {
  checkPostgres,
  type PostgresCheck,
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
