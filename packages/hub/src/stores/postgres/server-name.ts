/**
 * The name of the server and of the table in it, in SQL: another one after a restart, a failover, or a dump that was put
 * back. A promoted replica is a process of its own, so the time of its start says enough, and costs a question nothing.
 */
export function serverOf(head: string): string {
  return `pg_catalog.concat_ws(' ', extract(epoch FROM pg_catalog.pg_postmaster_start_time()), ${head}.tableoid)`
}

/** Which server answers, and how new its directory is: columns of every answer of the hot path. */
export function ofWhom(head: string): string {
  return `${head}.number AS head_number, pg_catalog.pg_is_in_recovery() AS is_replica, ${serverOf(head)} AS server`
}

/**
 * PostgreSQL takes a small table for one of a thousand rows until it has counted them. It would compile a statement that
 * seems so dear, each time, and take a hundred times as long.
 */
export function oneHead(schema: string): string {
  return `(SELECT number, tableoid FROM ${schema}.journal_head LIMIT 1) AS head`
}

export const hubSchema = 'latchkey_hub'
