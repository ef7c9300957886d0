/** Repeats in a restored directory what was taken away after its backup, as the old journal tells it. */

import type { JournalEntry } from '@latchkey/admin-api'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { findEntries, findHead, shownEntry } from '../journal/read-journal.ts'
import type { JournaledChange, Origin } from '../tables/change.ts'
import { countOf } from '../tables/columns.ts'
import type { Directory, Reading, Work } from '../tables/directory.ts'
import { endSignInsOfDisabled } from '../tables/end-sign-ins.ts'
import type { JournalRow } from '../tables/rows.ts'
import {
  hadNoMore,
  isSame,
  notThere,
  type Repeat,
  type Repetition,
  repeatCommit,
  repeated,
  toldBy,
} from './commits.ts'
import { repeatHubToken } from './hub-tokens.ts'
import { repeatPublisher } from './publishers.ts'
import { repeatCollaborator, repeatMember, repeatRef, repeatRepository } from './repositories.ts'
import {
  repeatGroupMember,
  repeatTeam,
  repeatTeamGroup,
  repeatTeamMember,
  repeatTeamRole,
} from './teams.ts'

/** A gate may still hold a key that the backup does not have, so it is cut off too. The next start makes a key to sign. */
const repeatKey: Repeat = async ({ tables, put }, { before: reported }) => {
  const kid = String(reported['kid'])
  const before = await tables
    .selectFrom('signing_keys')
    .selectAll()
    .where('kid', '=', kid)
    .executeTakeFirst()
  await put(
    before === undefined
      ? [{ thing: 'cut-off', cuts: [{ kind: 'key', id: kid }] }]
      : [{ thing: 'key', before }],
  )
  return repeated
}

/** Accounts and namespaces that were disabled, deleted or administrators no more. */
const repeatAccount: Repeat = async (
  { tables, put, now },
  { account_id, did, after: reported },
) => {
  const before = await tables
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', account_id)
    .executeTakeFirst()
  if (before === undefined) return notThere
  if (did === 'deleted') {
    await put([{ thing: 'account', before }])
    return repeated
  }
  const after = {
    ...before,
    disabled: reported['disabled'] === true ? 1 : before.disabled,
    administrator: reported['administrator'] === false ? 0 : before.administrator,
  }
  if (isSame(before, after)) return hadNoMore
  const ended = await endSignInsOfDisabled(tables, { before, after, now })
  await put([{ thing: 'account', before, after }, ...ended])
  return repeated
}

const repeatNamespace: Repeat = async ({ tables, put }, { namespace_id: id }) => {
  const before = await tables
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', id ?? '')
    .executeTakeFirst()
  if (before === undefined) return notThere
  const held = await countOf(
    tables.selectFrom('repositories').where('namespace_id', '=', before.id),
  )
  // A namespace is deleted after its repositories, whose entries come before this one.
  if (held > 0)
    return { outcome: 'not repeated', detail: 'It has repositories; delete them first.' }
  await put([{ thing: 'namespace', before }])
  return repeated
}

/** An account that was unlinked from an identity of a provider. */
const repeatIdentity: Repeat = async ({ tables, put }, { account_id, before: reported }) => {
  const before = await tables
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', String(reported['issuer']))
    .where('subject', '=', String(reported['subject']))
    .executeTakeFirst()
  const account = await tables
    .selectFrom('accounts')
    .select(['id', 'name'])
    .where('id', '=', account_id)
    .executeTakeFirst()
  if (before === undefined || account?.id !== before.account_id) return notThere
  await put([{ thing: 'identity', before, account }])
  return repeated
}

export interface RepeatedEntry extends Repetition {
  readonly entry: JournalEntry
}

interface Repeating extends Pick<Work, 'now' | 'randomBytes'> {
  /** The journal as it was when the directory was lost. */
  readonly old: Reading
  /** The last entry that the backup has. */
  readonly after: number
  readonly origin: Origin
}

/** Prefixes are never taken away. A new kind of thing does not compile without a line here. */
type Narrowed = Exclude<JournaledChange['thing'], 'prefix' | 'forge' | 'hub'>

/** A restore cuts off everything that was issued before it. */
const everyTokenEnds: Repeat = async () => ({
  outcome: 'not needed',
  detail: 'A restore ends every storage token.',
})

const repeats: Readonly<Record<Narrowed, Repeat>> = {
  account: repeatAccount,
  namespace: repeatNamespace,
  member: repeatMember,
  collaborator: repeatCollaborator,
  publisher: repeatPublisher,
  team: repeatTeam,
  'team-group': repeatTeamGroup,
  'team-member': repeatTeamMember,
  'group-member': repeatGroupMember,
  'team-role': repeatTeamRole,
  repository: repeatRepository,
  ref: repeatRef,
  commit: repeatCommit,
  'hub-token': repeatHubToken,
  identity: repeatIdentity,
  key: repeatKey,
  'cut-off': everyTokenEnds,
}

const entriesAtOnce = 500

/** In the order in which it was taken away, each with an entry of its own; or why this journal cannot be used. */
export async function repeatNarrowing(
  directory: Directory,
  { old, after, origin, ...work }: Repeating,
): Promise<readonly RepeatedEntry[] | Refusal> {
  const unfit = await findObstacle(directory, old, after)
  if (unfit !== undefined) return unfit
  const done: RepeatedEntry[] = []
  let last = after
  for (;;) {
    const page = await findEntries(old, { after: last, limit: entriesAtOnce })
    const narrowing = page.filter(({ narrows }) => narrows === 1)
    const some = await directory.change(async ({ tables, number, putAs }) => {
      const put = putAs(origin)
      const ended: RepeatedEntry[] = []
      for (const row of narrowing) {
        const entry = toldBy(row)
        const repeat = isNarrowed(row.thing) ? repeats[row.thing] : unknown
        const how = await repeat({ tables, number, put, ...work, hubTokenPrefix: '' }, entry)
        ended.push({ entry: shownEntry(row), ...how })
      }
      return ended
    })
    if (isRefusal(some)) return some
    done.push(...some)
    const next = page.at(-1)
    if (next === undefined) return done
    last = next.number
  }
}

function isNarrowed(thing: string): thing is Narrowed {
  return Object.hasOwn(repeats, thing)
}

const unknown: Repeat = async () => ({
  outcome: 'not repeated',
  detail: 'This version does not know how to take this away.',
})

/** A journal is this directory's if both have the same entry under the number at which the backup was made. */
async function findObstacle(
  directory: Directory,
  old: Reading,
  after: number,
): Promise<Refusal | undefined> {
  const { number: head, pruned_through: pruned } = await findHead(old)
  if (pruned > after && head > after) {
    return refuse(
      'cursor_unknown',
      `Entries up to ${pruned} were removed from the old journal by its retention, and the backup was made at ${after}: what was taken away in between is not known. Restore without --journal, and end the hub tokens and accounts that must not come back.`,
    )
  }
  const own = await directory.read((tables) => entryAt(tables, after))
  const same = pruned === after ? own : await entryAt(old, after)
  if (own !== undefined && JSON.stringify(own) === JSON.stringify(same)) return undefined
  return refuse(
    'cursor_unknown',
    `The old journal does not have the entry ${after}, at which the backup was made: it belongs to another hub, or is older than the backup. Name the data directory that was lost.`,
  )
}

function entryAt(tables: Reading, number: number): Promise<JournalRow | undefined> {
  return tables.selectFrom('journal').selectAll().where('number', '=', number).executeTakeFirst()
}
