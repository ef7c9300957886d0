import { CannotStart } from '../machine/errors.ts'
import type {
  FoundSchema,
  InspectedRights,
  InspectedSchema,
  InspectedServer,
} from '../postgres/index.ts'
import {
  type Finding,
  goodFinding,
  skippedFinding,
  warningFinding,
  wrongFinding,
} from './finding.ts'

/** The part of an inspected schema that does not depend on its tables. */
type AnySchema = Omit<InspectedSchema<unknown>, 'ask' | 'read'>

export type DatabaseAnswer<Store extends AnySchema> =
  /** The error has the line for the operator. */
  { readonly kind: 'away'; readonly error: CannotStart } | AnsweringDatabase<Store>

export interface AnsweringDatabase<Store extends AnySchema = AnySchema> {
  readonly kind: 'answers'
  readonly store: Store
  readonly server: InspectedServer
  readonly schema: FoundSchema
  /** How far its clock is ahead of this machine's; the time between question and answer is not counted. */
  readonly aheadMs: number
}

export async function askDatabase<Store extends AnySchema>(
  inspect: () => Promise<Store>,
  nowMs: () => number,
): Promise<DatabaseAnswer<Store>> {
  let store: Store | undefined
  try {
    store = await inspect()
    const askedAt = nowMs()
    const server = await store.server()
    const aheadMs = aheadOf(server.nowMs, askedAt, nowMs())
    return { kind: 'answers', store, server, schema: await store.found(), aheadMs }
  } catch (error) {
    await store?.close()
    if (error instanceof CannotStart) return { kind: 'away', error }
    throw error
  }
}

function aheadOf(serverMs: number, askedAt: number, answeredAt: number): number {
  if (serverMs > answeredAt) return serverMs - answeredAt
  return Math.min(0, serverMs - askedAt)
}

export async function findingsOfRights(
  { store, schema }: AnsweringDatabase,
  users: Users,
): Promise<readonly Finding[]> {
  const rights = await store.rights()
  const { role, ownsSchema, problem } = rights
  return [withinSchema(), ...beyondIt(rights, users)]

  function withinSchema(): Finding {
    if (problem !== undefined) return wrongFinding(problem.found, problem.todo)
    if (schema.tables.length === 0) {
      return skippedFinding('there is no table yet on which the role could have rights')
    }
    return goodFinding(
      ownsSchema
        ? `${role} owns the tables, and so migrates them at a start`
        : `${role} reads and writes rows, and cannot change the tables`,
    )
  }
}

function beyondIt({ role, excessive }: InspectedRights, users: Users): readonly Finding[] {
  if (excessive.length === 0) return []
  return [
    warningFinding(
      `${role} has more rights than ${users} need: ${excessive.join(', ')}`,
      `Give ${users} a separate role, as examples/many-hubs/roles.sql does.`,
    ),
  ]
}

/** The services that use a schema. */
type Users = 'hubs' | 'storages'

export function findingOfSchema({ schema, store }: AnsweringDatabase, users: Users): Finding {
  const { version, isReadable, tables, missingTables } = schema
  const { schema: name, newestVersion: newest } = store
  if (tables.length === 0) {
    return warningFinding(
      `${name} has no tables yet`,
      'The first start makes them, or "latchkey migrate".',
    )
  }
  if (!isReadable) return skippedFinding('not looked at, because the role may not read it')
  if (version === undefined) {
    return wrongFinding(`${name} has tables, but nothing says of which version`, restore)
  }
  if (version > newest) {
    return wrongFinding(
      `${name} has version ${version}, and this program knows up to ${newest}`,
      'It was written by a newer version of Latchkey: use that version, or restore a backup.',
    )
  }
  if (version < newest) {
    return warningFinding(
      `${name} has version ${version}, and this program brings it to ${newest}`,
      `Take a backup; "latchkey migrate" or the next start migrates it. The ${users} that run continue to work.`,
    )
  }
  if (missingTables.length > 0) {
    return wrongFinding(
      `${name} has version ${version}, but not all tables: ${missingTables}`,
      restore,
    )
  }
  return goodFinding(`${name} has version ${version}, as this program, and all of its tables`)
}

/** A migration is one transaction, so that none leaves a part of itself. */
const restore =
  'A restore was cut off, or something else than Latchkey removed it. Drop the schema, and restore a backup.'

export function findingsOfServer({ server, store }: AnsweringDatabase): readonly Finding[] {
  // A packager's name follows the number.
  const version = server.version.split(' ')[0]
  const words = `PostgreSQL ${version} at ${store.place}`
  if (server.isReplica === 1) {
    return [
      wrongFinding(
        `${words}, is a read-only replica`,
        'Name the primary in the address; or promote this one, if the primary is lost.',
      ),
    ]
  }
  const way = store.isPooled() ? ' through a pooler' : ''
  const compiles = store.isPooled() && server.jit === 'on'
  return [
    goodFinding(`${words}, answers${way} and takes changes`),
    ...(compiles
      ? [warningFinding('behind the pooler, jit is on for this role', jitOff(server.role))]
      : []),
  ]
}

function jitOff(role: string): string {
  return `The server compiles statements that take a millisecond. Run ALTER ROLE ${role} SET jit = off, and reconnect the pooler.`
}
