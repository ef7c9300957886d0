/** Trusted publishers of a repository: rules by which CI jobs exchange id tokens for hub tokens. */

import { maxPublishers, type VerbTable } from '@latchkey/admin-api'
import {
  formatTime,
  isRefusal,
  type Refusal,
  type RepoRef,
  refuse,
  type Scope,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { z } from 'zod'
import { claimsIn, refsIn } from '../permission/trusted-publisher.ts'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { PublisherRow, RepositoryRow } from '../tables/rows.ts'
import { accountTaken, findSimilarAccount } from './accounts.ts'
import { type Does, makePage } from './does.ts'
import {
  changePublisher,
  createdPublisher,
  deletedPublisher,
  findPublisher,
  newPublisher,
  type PublisherPlace,
  publishersOf,
} from './publisher-rows.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'

export const createPublisher: Does<'publisher create'> = async (work, input) => {
  const { repository, publisher: name, ...wish } = input
  const row = await findRepositoryRow(work.tables, repository)
  if (row === undefined) return noRepository(repository)
  const stored = await publishersOf(work.tables, row.uid)
  const similar = stored.find((one) => one.name.toLowerCase() === name.toLowerCase())
  if (similar !== undefined) return publisherTaken(row, similar)
  if (stored.length >= maxPublishers) return tooManyPublishers(row)
  const made = newPublisher(work, row, { name, ...wish })
  if (isRefusal(made)) return made
  const sameName = await findSimilarAccount(work.tables, made.account.name)
  if (sameName !== undefined) return accountTaken(sameName.name)
  await work.put(createdPublisher(row, made))
  return publisherOutput(row, made)
}

export const listPublishers: Does<'publisher list'> = async ({ tables }, input) => {
  const { repository, limit, after = '' } = input
  const row = await findRepositoryRow(tables, repository)
  if (row === undefined) return noRepository(repository)
  const all = tables
    .selectFrom('trusted_publishers')
    .innerJoin('accounts', 'accounts.id', 'trusted_publishers.account_id')
    .where('repository_uid', '=', row.uid)
  const rows = await all
    .selectAll('trusted_publishers')
    .select('accounts.name as account')
    .where('trusted_publishers.name', '>', after)
    .orderBy('trusted_publishers.name')
    .limit(limit + 1)
    .execute()
  return makePage(
    { rows, total: await countOf(all), limit },
    ({ account: name, ...one }) => publisherOutput(row, { row: one, account: { name } }),
    ({ name }) => name,
  )
}

export const showPublisher: Does<'publisher show'> = async ({ tables }, input) => {
  const found = await findPlace(tables, input.repository, input.publisher)
  return isRefusal(found) ? found : publisherOutput(found.repository, found)
}

export const setPublisher: Does<'publisher set'> = async (work, input) => {
  const { repository: repo, publisher, ...wish } = input
  const found = await findPlace(work.tables, repo, publisher)
  if (isRefusal(found)) return found
  const { repository, ...place } = found
  const changes = await changePublisher(work, repository, { place, wish })
  if (isRefusal(changes)) return changes
  await work.put(changes)
  const row = await findPublisher(work.tables, repository.uid, publisher)
  return publisherOutput(repository, { row: row ?? place.row, account: place.account })
}

export const deletePublisher: Does<'publisher delete'> = async ({ tables, put }, input) => {
  const found = await findPlace(tables, input.repository, input.publisher)
  if (isRefusal(found)) return found
  await put([deletedPublisher(found.repository, found)])
  return { deleted: found.row.name }
}

export const listRefusedExchanges: Does<'publisher refusals'> = async ({ tables }, input) => {
  const { repository, limit, after } = input
  const row = await findRepositoryRow(tables, repository)
  if (row === undefined) return noRepository(repository)
  const all = tables.selectFrom('refused_exchanges').where('repository_uid', '=', row.uid)
  const before = /^\d{1,15}$/.test(after ?? '') ? Number(after) : Number.MAX_SAFE_INTEGER
  const rows = await all
    .selectAll()
    .where('position', '<', before)
    .orderBy('position', 'desc')
    .limit(limit + 1)
    .execute()
  return makePage(
    { rows, total: await countOf(all), limit },
    ({ refused_at, publisher, issuer, reason, claims }) => ({
      at: formatTime(refused_at as UnixSeconds),
      publisher,
      issuer,
      reason,
      claims: JSON.parse(claims),
    }),
    ({ position }) => String(position),
  )
}

export async function findPlace(
  tables: Reading,
  repo: RepoRef,
  name: string,
): Promise<(PublisherPlace & { readonly repository: RepositoryRow }) | Refusal> {
  const repository = await findRepositoryRow(tables, repo)
  if (repository === undefined) return noRepository(repo)
  const row = await findPublisher(tables, repository.uid, name)
  if (row === undefined || row.name !== name) return noPublisher(repository, name)
  const account = await tables
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', row.account_id)
    .executeTakeFirstOrThrow()
  return { repository, row, account }
}

interface ShownPublisher {
  readonly row: PublisherRow
  readonly account: { readonly name: string }
}

function publisherOutput(
  { path }: RepositoryRow,
  { row, account }: ShownPublisher,
): z.input<VerbTable['publisher show']['output']> {
  const refs = refsIn(row)
  return {
    repository: path,
    publisher: row.name,
    preset: row.preset as z.input<VerbTable['publisher show']['output']>['preset'],
    issuer: row.issuer,
    claims: [...claimsIn(row)],
    contents: row.contents as Scope,
    ...(refs === undefined ? {} : { refs: [...refs] }),
    maxSeconds: row.max_seconds,
    ...(row.label === null ? {} : { label: row.label }),
    account: account.name,
    createdAt: formatTime(row.created_at as UnixSeconds),
  }
}

export function publisherTaken({ path }: RepositoryRow, { name }: PublisherRow): Refusal {
  return refuse(
    'conflict',
    `${path} has a trusted publisher "${name}" already, and names must differ by more than case. Choose another name, or change that one.`,
    { next: ['publisher', 'show', path, name] },
  )
}

export function tooManyPublishers({ path }: RepositoryRow): Refusal {
  return refuse(
    'conflict',
    `${path} has ${maxPublishers} trusted publishers, which is the maximum. Delete one first.`,
    { next: ['publisher', 'list', path] },
  )
}

function noPublisher({ path }: RepositoryRow, name: string): Refusal {
  return refuse(
    'resource_not_found',
    `${path} has no trusted publisher "${name}". Names are matched exactly; list the publishers to see them.`,
    { next: ['publisher', 'list', path] },
  )
}
