/** Whether PostgreSQL takes changes. */

import type { AnsweringDatabase } from './database-answer.ts'
import { type Finding, good, warning, wrong } from './finding.ts'

export function findingsOfServer({ server, store }: AnsweringDatabase): readonly Finding[] {
  // A packager's name follows the number.
  const version = server.version.split(' ')[0]
  const words = `PostgreSQL ${version} at ${store.place}`
  if (server.isReplica === 1) {
    return [
      wrong(
        `${words}, is a read-only replica`,
        'Name the primary in the address; or promote this one, if the primary is lost.',
      ),
    ]
  }
  const way = store.isPooled() ? ' through a pooler' : ''
  const compiles = store.isPooled() && server.jit === 'on'
  return [
    good(`${words}, answers${way} and takes changes`),
    ...(compiles
      ? [warning('behind the pooler, jit is on for this role', jitOff(server.role))]
      : []),
  ]
}

function jitOff(role: string): string {
  return `The server compiles statements that take a millisecond. Run ALTER ROLE ${role} SET jit = off, and reconnect the pooler.`
}
