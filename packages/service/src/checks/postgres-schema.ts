/** Whether the tables of a schema are there, whole, and of this program's version. */

import type { AnsweringDatabase } from './database-answer.ts'
import { type Finding, good, skipped, warning, wrong } from './finding.ts'

/** The services that use a schema. */
export type Users = 'hubs' | 'storages'

export function findingOfSchema({ schema, store }: AnsweringDatabase, users: Users): Finding {
  const { version, isReadable, tables, missingTables } = schema
  const { schema: name, newestVersion: newest } = store
  if (tables.length === 0) {
    return warning(
      `${name} has no tables yet`,
      'The first start makes them, or "latchkey migrate".',
    )
  }
  if (!isReadable) return skipped('not looked at, because the role may not read it')
  if (version === undefined) {
    return wrong(`${name} has tables, but nothing says of which version`, restore)
  }
  if (version > newest) {
    return wrong(
      `${name} has version ${version}, and this program knows up to ${newest}`,
      'It was written by a newer Latchkey: run that one, or restore a backup.',
    )
  }
  if (version < newest) {
    return warning(
      `${name} has version ${version}, and this program brings it to ${newest}`,
      `Take a backup; "latchkey migrate" or the next start migrates it. The ${users} that run go on meanwhile.`,
    )
  }
  if (missingTables.length > 0) {
    return wrong(`${name} has version ${version}, but not all tables: ${missingTables}`, restore)
  }
  return good(`${name} has version ${version}, as this program, and all of its tables`)
}

/** A migration is one transaction, so that none leaves a part of itself. */
const restore =
  'A restore was cut off, or something else than Latchkey removed it. Drop the schema, and restore a backup.'
