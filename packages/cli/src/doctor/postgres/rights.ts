/** Whether the role can do what a hub does, and not much more. */

import type { InspectedRights } from '@latchkey/service/postgres'
import type { AnsweringDatabase } from '../basis/ask-database.ts'
import type { Check } from '../basis/check.ts'
import { type Finding, good, skipped, warning, wrong } from '../basis/finding.ts'
import { withDatabase } from '../basis/with-database.ts'
import type { Users } from './schema.ts'

export const rights: Check = {
  name: 'role',
  databases: ['postgres'],
  look: (installation) => withDatabase(installation, (answer) => findingsOfRights(answer, 'hubs')),
}

export async function findingsOfRights(
  { store, schema }: AnsweringDatabase,
  users: Users,
): Promise<readonly Finding[]> {
  const rights = await store.rights()
  return [
    schema.tables.length === 0
      ? skipped('there is no table yet on which the role could have rights')
      : withinSchema(rights, store.schema),
    ...beyondIt(rights, users),
  ]
}

const grants = 'Grant them as examples/many-hubs/roles.sql does.'

function withinSchema(rights: InspectedRights, name: string): Finding {
  const { role, mayUseSchema, missing, ownsSchema } = rights
  if (!mayUseSchema) return wrong(`${role} lacks USAGE on the schema ${name}`, grants)
  if (missing.length > 0) return wrong(`${role} lacks ${shortened(missing)}`, grants)
  return good(
    ownsSchema
      ? `${role} owns the tables, and so migrates them at a start`
      : `${role} reads and writes rows, and cannot change the tables`,
  )
}

function shortened(missing: readonly string[]): string {
  const shown = missing.slice(0, 4).join(', ')
  return missing.length > 4 ? `${shown} and ${missing.length - 4} more rights` : shown
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
