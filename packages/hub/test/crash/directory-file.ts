/** A directory file with many entries of every kind; the second edition changes most of the first. */

export interface DirectorySize {
  readonly repositories?: number
  readonly persons?: number
  /** Of each repository, beside `main` and a tag. */
  readonly branches?: number
}

export function directoryFile(
  edition: 1 | 2,
  { repositories = 96, persons = 60, branches = 12 }: DirectorySize = {},
): object {
  const accounts = numbers(persons).map((n) => ({
    name: `person-${n + 20 * edition}`,
    administrator: n % edition === 0,
  }))
  const [first = { name: '' }] = accounts
  const people = accounts.map(({ name }) => name)
  return {
    accounts,
    namespaces: numbers(12).map((n) => ({
      name: `team-${n + 3 * edition}`,
      members: Object.fromEntries(
        people.slice(n, n + 20).map((name) => [name, roleOf(n, edition)]),
      ),
    })),
    repositories: numbers(repositories).map((n) => ({
      type: 'model',
      id: `team-${(n % 12) + 3 * edition}/model-${n}`,
      visibility: n % 2 === 0 ? 'private' : 'public',
      branches: branchesOf(n, edition, branches),
      tags: { [`v${edition}`]: commitOf(n, edition) },
      collaborators: { [first.name]: roleOf(n, edition) },
    })),
    hubTokens: people.map((account) => ({ account, name: `token-${edition}`, kind: 'write' })),
  }
}

function branchesOf(repository: number, edition: number, count: number): Record<string, unknown> {
  const others = numbers(count).map((n) => [
    `feature/${edition}-${n}`,
    { commit: commitOf(repository + n, edition), from: 'main' },
  ])
  return { main: commitOf(repository, edition), ...Object.fromEntries(others) }
}

function roleOf(n: number, edition: number): string {
  return ['read', 'write', 'admin'][(n + edition) % 3] ?? 'read'
}

function commitOf(n: number, edition: number): string {
  return (n * 10 + edition).toString(16).padStart(40, '0')
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
