/** Repositories: what storage tokens are for, each with a uid that its name never gets again. */

import {
  formatRepoRef,
  formatTime,
  type RefName,
  type Refusal,
  type RepoRef,
  refuse,
  shortRefName,
  type UnixSeconds,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/random'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { countOf, samePath } from './columns.ts'
import type { Tables, Work } from './directory.ts'
import { findNamespace, noNamespace } from './namespaces.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import type { Schema } from './schema.ts'
import { branch, moment, name, repository, visibility } from './words.ts'

export type RepositoryRow = Selectable<Schema['repositories']>

export const namedRepository = repository.describe('The repository, such as models/acme/bert.')

const shown = z.object({
  uid: z
    .string()
    .describe('The id that storage tokens carry; a repository made again has another.'),
  repository: z.string(),
  visibility,
  defaultBranch: z.string(),
  createdAt: moment,
})

export const createRepository = operation({
  summary: 'Make a repository in a namespace that exists.',
  input: z.strictObject({
    repository: repository.describe('The new repository, such as models/acme/bert.'),
    visibility: visibility
      .default('private')
      .describe('public: every account may read it; private: only who has a role.'),
    defaultBranch: branch
      .prefault('main')
      .describe('The branch meant when none is named; it need not exist yet.'),
  }),
  output: shown,
  async run(work, input) {
    const { tables } = work
    const path = formatRepoRef(input.repository)
    const namespace = await findNamespace(tables, input.repository.namespace)
    if (namespace === undefined) return noNamespace(input.repository.namespace)
    const taken = await tables
      .selectFrom('repositories')
      .select('path')
      .where(samePath(path))
      .executeTakeFirst()
    if (taken !== undefined) return repositoryTaken(taken.path)
    const row = newRepositoryRow(work, namespace.id, { ...input, path })
    await tables.insertInto('repositories').values(row).execute()
    return showRepository(row)
  },
})

export const showOneRepository = operation({
  summary: 'Show one repository.',
  input: z.strictObject({ repository: namedRepository }),
  output: shown,
  async run({ tables }, input) {
    const row = await findRepositoryRow(tables, input.repository)
    return row === undefined ? noRepository(input.repository) : showRepository(row)
  },
})

export const listRepositories = operation({
  summary: 'List the repositories, all or those of one namespace.',
  input: z.strictObject({
    namespace: name.optional().describe('Only the repositories of this namespace.'),
    ...paging,
  }),
  output: pageOf(shown),
  async run({ tables }, { namespace, limit, after = '' }) {
    const owner = namespace === undefined ? undefined : await findNamespace(tables, namespace)
    if (namespace !== undefined && owner === undefined) return noNamespace(namespace)
    const all = tables
      .selectFrom('repositories')
      .$if(owner !== undefined, (some) => some.where('namespace_id', '=', owner?.id ?? ''))
    const rows = await all
      .selectAll()
      .where('path', '>', after)
      .orderBy('path')
      .limit(limit + 1)
      .execute()
    return makePage({ rows, total: await countOf(all), limit }, showRepository, (row) => row.path)
  },
})

export const setRepository = operation({
  summary: 'Change a repository; what is not named stays as it is.',
  input: z.strictObject({
    repository: namedRepository,
    visibility: visibility
      .optional()
      .describe('public: every account may read it; private: only who has a role.'),
    defaultBranch: branch.optional().describe('The branch meant when none is named.'),
  }),
  output: shown,
  async run({ tables }, { repository, ...wish }) {
    const row = await findRepositoryRow(tables, repository)
    if (row === undefined) return noRepository(repository)
    const changed = changedRepositoryRow(row, wish)
    await tables.updateTable('repositories').set(changed).where('uid', '=', row.uid).execute()
    return showRepository(changed)
  },
})

export const deleteRepository = operation({
  summary: 'Delete a repository with its refs, commits and collaborators.',
  input: z.strictObject({ repository: namedRepository }),
  output: z.object({ deleted: z.string().describe('The repository that is gone.') }),
  async run({ tables }, input) {
    const row = await findRepositoryRow(tables, input.repository)
    if (row === undefined) return noRepository(input.repository)
    await tables.deleteFrom('repositories').where('uid', '=', row.uid).execute()
    return { deleted: row.path }
  },
})

export interface RepositoryWish {
  readonly visibility?: z.output<typeof visibility> | undefined
  readonly defaultBranch?: RefName | undefined
}

export function newRepositoryRow(
  { now, randomBytes }: Work,
  namespaceId: string,
  { path, ...wish }: RepositoryWish & { readonly path: string },
): RepositoryRow {
  const plain = { visibility: 'private', default_branch: 'refs/heads/main', ref_rules: '[]' }
  const ids = { uid: newId(randomBytes), namespace_id: namespaceId, path, created_at: now }
  return changedRepositoryRow({ ...ids, ...plain, epoch: 0 }, wish)
}

export function changedRepositoryRow(row: RepositoryRow, wish: RepositoryWish): RepositoryRow {
  return {
    ...row,
    visibility: wish.visibility ?? row.visibility,
    default_branch: wish.defaultBranch ?? row.default_branch,
  }
}

export function findRepositoryRow(
  tables: Tables,
  repo: RepoRef,
): Promise<RepositoryRow | undefined> {
  const path = formatRepoRef(repo)
  return tables.selectFrom('repositories').selectAll().where('path', '=', path).executeTakeFirst()
}

export function noRepository(repo: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `There is no repository ${formatRepoRef(repo)}. Names are matched exactly; create the repository first.`,
  )
}

export function repositoryTaken(path: string): Refusal {
  return refuse(
    'conflict',
    `There is a repository ${path} already, and names must differ by more than case. Choose another name.`,
  )
}

function showRepository(row: RepositoryRow): z.input<typeof shown> {
  return {
    uid: row.uid,
    repository: row.path,
    visibility: visibility.parse(row.visibility),
    defaultBranch: shortRefName(row.default_branch),
    createdAt: formatTime(row.created_at as UnixSeconds),
  }
}
