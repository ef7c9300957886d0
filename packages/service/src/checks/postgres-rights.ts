/** Whether the role can do what a hub or a storage does, and not much more. */

import type { InspectedRights } from '../postgres/index.ts'
import type { AnsweringDatabase } from './database-answer.ts'
import { type Finding, good, skipped, warning, wrong } from './finding.ts'
import type { Users } from './postgres-schema.ts'

export async function findingsOfRights(
  { store, schema }: AnsweringDatabase,
  users: Users,
): Promise<readonly Finding[]> {
  const rights = await store.rights()
  const { role, ownsSchema, problem } = rights
  return [withinSchema(), ...beyondIt(rights, users)]

  function withinSchema(): Finding {
    if (problem !== undefined) return wrong(problem.found, problem.todo)
    if (schema.tables.length === 0) {
      return skipped('there is no table yet on which the role could have rights')
    }
    return good(
      ownsSchema
        ? `${role} owns the tables, and so migrates them at a start`
        : `${role} reads and writes rows, and cannot change the tables`,
    )
  }
}

function beyondIt({ role, excessive }: InspectedRights, users: Users): readonly Finding[] {
  if (excessive.length === 0) return []
  return [
    warning(
      `${role} has more rights than ${users} need: ${excessive.join(', ')}`,
      `Give ${users} a role of their own, as examples/many-hubs/roles.sql does.`,
    ),
  ]
}
