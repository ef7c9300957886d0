/** Describes the world in steps, for hubs that do not read an apply file. */

import { hubTokenNames, world } from './world.ts'

export function setupText(): string {
  const steps = [
    ['Create these accounts.', accountLines()],
    ['Create the namespace with these members.', memberLines()],
    ['Create these repositories with their refs. A name in " " is a JSON text.', repositoryLines()],
    ['Create these hub tokens. A token without grants has all rights of its kind.', tokenLines()],
    ['Write the hub tokens to a file, in this form. Only its owner may read it.', fileLines()],
    ['Run the checks.', ['latchkey conform --hub https://hub.example --tokens tokens.json']],
    ['To check key rotation and revocation too, add a command for each.', commandLines],
  ] as const
  const parts = steps.map(([title, lines], index) =>
    [`${index + 1}. ${title}`, ...lines.map((line) => `   ${line}`)].join('\n'),
  )
  return `${[opening, ...parts].join('\n\n')}\n`
}

const opening = `The hub under test must hold a small world. A hub of Latchkey makes steps 1 to 5 by two commands:

  latchkey conform --print-world > world.json
  latchkey apply world.json --json --output tokens.json`

const commandLines = [
  '--rotate-command  replaces the key that signs storage tokens, without a leak.',
  '                  Latchkey: latchkey keys rotate',
  '--revoke-command  reads a storage token from standard input and revokes it.',
  '                  Latchkey: latchkey revoke token',
]

function accountLines(): readonly string[] {
  return world.accounts.map((account) =>
    'kind' in account ? `${account.name} (${account.kind} account)` : account.name,
  )
}

function memberLines(): readonly string[] {
  return world.namespaces.map(({ name, members }) => {
    const roles = Object.entries(members).map(([account, role]) => `${account} may ${role}`)
    return `${name}: ${roles.join(', ')}`
  })
}

function repositoryLines(): readonly string[] {
  return world.repositories.flatMap((repository) => [
    `${repository.type} ${repository.id} (${repository.visibility}, default branch ${repository.defaultBranch})`,
    ...Object.entries(repository.branches).map(([name, branch]) =>
      typeof branch === 'string'
        ? `  branch ${quoted(name)} at ${branch}`
        : `  branch ${quoted(name)} at ${branch.commit}, made from ${branch.from}`,
    ),
    ...refLines(repository),
  ])
}

function refLines(repository: (typeof world.repositories)[number]): readonly string[] {
  if (!('tags' in repository)) return []
  const { tags, refs, commits } = repository
  return [
    ...Object.entries(tags).map(([name, commit]) => `  tag ${quoted(name)} at ${commit}`),
    ...Object.entries(refs).map(([name, commit]) => `  ref ${quoted(name)} at ${commit}`),
    ...Object.entries(commits).map(([hash, branches]) => `  commit ${hash} in ${branches.join()}`),
  ]
}

function tokenLines(): readonly string[] {
  return world.hubTokens.map((token) => {
    const grants = 'grants' in token ? `: ${JSON.stringify(token.grants)}` : ''
    return `${token.account}/${token.name} (${token.kind})${grants}`
  })
}

function fileLines(): readonly string[] {
  const rows = hubTokenNames.map((row) => {
    const [account, name] = row.split('/')
    return `  ${JSON.stringify({ account, name, token: '...' })}`
  })
  return ['{ "hubTokens": [', ...rows.join(',\n').split('\n'), '] }']
}

function quoted(name: string): string {
  return JSON.stringify(name)
}
