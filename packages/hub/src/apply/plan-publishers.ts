/** The trusted publishers of a repository in a directory file. */

import { type InputPath, maxPublisherSeconds, type PublisherEntry } from '@latchkey/admin-api'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Change } from '../tables/change.ts'
import type { RepositoryRow } from '../tables/rows.ts'
import { accountTaken } from '../verbs/accounts.ts'
import {
  changePublisher,
  createdPublisher,
  deletedPublisher,
  newPublisher,
  type PublisherPlace,
} from '../verbs/publisher-rows.ts'
import type { RepositoryPlace } from './plan-repository-refs.ts'
import { at, type Planning, type ReportedChange } from './planning.ts'

interface PublisherPlan {
  readonly changes: readonly Change[]
  readonly reported: readonly ReportedChange[]
}

/** Without pruning, a publisher that the list does not name stays. */
export async function planPublishers(
  planning: Planning,
  { entry: { publishers: entries }, path, row: repository, publishers: stored }: RepositoryPlace,
): Promise<PublisherPlan | Refusal> {
  if (entries === undefined) return { changes: [], reported: [] }
  const changes: Change[] = []
  const reported: ReportedChange[] = []
  const report = (name: string, did: ReportedChange['did'], own: readonly Change[]) => {
    changes.push(...own)
    reported.push({ what: 'publisher', name: `${repository.path}/${name}`, did })
  }
  const named = new Set(entries.map(({ name }) => name.toLowerCase()))
  for (const place of planning.prune ? stored : []) {
    const { name } = place.row
    if (named.has(name.toLowerCase())) continue
    report(name, 'deleted', [deletedPublisher(repository, place)])
  }
  for (const [index, entry] of entries.entries()) {
    const place = stored.find(({ row }) => row.name.toLowerCase() === entry.name.toLowerCase())
    const own = await planOne(planning, repository, { entry, place })
    if (isRefusal(own)) return inside([...path, 'publishers', index], own)
    if (own.length > 0) report(entry.name, place === undefined ? 'created' : 'changed', own)
  }
  return { changes, reported }
}

interface WantedPublisher {
  readonly entry: PublisherEntry
  readonly place: PublisherPlace | undefined
}

async function planOne(
  { work, accounts }: Planning,
  repository: RepositoryRow,
  { entry, place }: WantedPublisher,
): Promise<readonly Change[] | Refusal> {
  if (place === undefined) {
    const made = newPublisher(work, repository, {
      ...entry,
      maxSeconds: entry.maxSeconds ?? maxPublisherSeconds,
    })
    if (isRefusal(made)) return made
    const sameName = accounts.get(made.account.name.toLowerCase())
    return sameName === undefined ? createdPublisher(repository, made) : accountTaken(sameName.name)
  }
  const { row } = place
  const isOther = row.preset !== entry.preset || row.issuer !== (entry.issuer ?? row.issuer)
  if (row.name !== entry.name || isOther) return otherPublisher(repository, row.name)
  return changePublisher(work, repository, { place, wish: entry })
}

function inside(path: InputPath, refusal: Refusal): Refusal {
  return at(refusal.path === undefined ? path : [...path, refusal.path], refusal)
}

function otherPublisher({ path }: RepositoryRow, name: string): Refusal {
  return refuse(
    'conflict',
    `${path} has a trusted publisher "${name}" with another spelling, preset or issuer, which can never change. Delete it first; the file then makes a new one.`,
    { next: ['publisher', 'show', path, name] },
  )
}
