/** The pages of a namespace: each with its lists and changes. The verbs themselves declare their input. */

import { type Verb, verbs, type Words } from '@latchkey/admin-api'

export interface Section {
  readonly title: string
  readonly list?: Words
  /** VerbMembers of the listed things. */
  readonly columns?: readonly string[]
  /** The member that names a thing of the list, and the verb that ends it. */
  readonly key?: string
  readonly remove?: Words
  /** The page of a thing of the list, below that of the namespace. */
  readonly page?: 'teams' | 'repositories'
  readonly forms: readonly Words[]
  /** Deletes what the page is about: its name is typed once more. */
  readonly end?: Words
}

export interface PageRow {
  /** Below `/account/namespaces`. */
  readonly path: string
  /** The input member that the page is about. */
  readonly member: 'namespace' | 'team' | 'repository'
  readonly sections: readonly Section[]
}

// biome-ignore format: a table is read by its columns
export const places: readonly PageRow[] = [
  {
    path: '{namespace}',
    member: 'namespace',
    sections: [
      { title: 'Members',      list: 'member list', columns: ['account', 'role'],          key: 'account',    remove: 'member delete', forms: ['member set'] },
      { title: 'Teams',        list: 'team list',   columns: ['team', 'role'],             key: 'team',       page: 'teams',           forms: ['team create'] },
      { title: 'Repositories', list: 'repo list',   columns: ['repository', 'visibility', 'quotaBytes'], key: 'repository', page: 'repositories', forms: ['repo create'] },
      { title: 'Quota',        list: 'namespace show', columns: ['quotaBytes', 'dividedBytes'], forms: [] },
    ],
  },
  {
    path: '{namespace}/teams/{team}',
    member: 'team',
    sections: [
      { title: 'Members', list: 'team-member list', columns: ['account', 'until'], key: 'account', remove: 'team-member delete', forms: ['team-member set'] },
      { title: 'Team', forms: ['team set'], end: 'team delete' },
    ],
  },
  {
    path: '{namespace}/repositories/{type}/{name}',
    member: 'repository',
    sections: [
      { title: 'Collaborators',      list: 'collaborator list', columns: ['account', 'role'],  key: 'account', remove: 'collaborator delete', forms: ['collaborator set'] },
      { title: 'Teams',              list: 'team-role list',    columns: ['team', 'role'],     key: 'team',    remove: 'team-role delete',    forms: ['team-role set'] },
      { title: 'Ref rules',          list: 'ref-rule list',     columns: ['pattern', 'write'], key: 'pattern', remove: 'ref-rule delete',     forms: ['ref-rule set'] },
      { title: 'Trusted publishers', list: 'publisher list',    columns: ['publisher', 'issuer', 'claims', 'contents', 'refs'], key: 'publisher', remove: 'publisher delete', forms: [] },
      { title: 'Repository', forms: ['repo set'], end: 'repo delete' },
    ],
  },
]

/** The verbs that a form of the page may ask for. */
export function changesOf({ sections }: PageRow): readonly Words[] {
  return sections.flatMap(({ forms, remove, end }) => [
    ...forms,
    ...[remove, end].filter((words) => words !== undefined),
  ])
}

export function isEnd({ sections }: PageRow, words: Words): boolean {
  return sections.some(({ end }) => end === words)
}

export function verbCalled(words: Words): Verb {
  const verb = verbs.find((row) => row.words === words)
  if (verb === undefined) throw new Error(`there is no verb "${words}"`)
  return verb
}
