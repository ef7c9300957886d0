/** Commands that manage a directory, drawn at random with few names, so that they often meet what is there. */

/** The next of a row of numbers that a seed decides, below `limit`. */
export type Draw = (limit: number) => number

/** Mulberry32. */
export function drawFrom(seed: number): Draw {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const choices: Readonly<Record<string, readonly string[]>> = {
  account: ['ada', 'bob'],
  namespace: ['acme', 'beta'],
  team: ['curators', 'readers'],
  repository: ['models/acme/bert', 'models/acme/gpt', 'datasets/beta/set'],
  ref: ['main', 'dev', 'refs/tags/v1', 'refs/tags/main', 'refs/heads/v1', 'refs/pr/1'],
  moving: ['main', 'dev', 'refs/pr/1'],
  branch: ['main', 'dev', 'v1'],
  commit: ['1', '2', '3'].map((digit) => digit.repeat(40)),
  expected: ['0', '1', '2'].map((digit) => digit.repeat(40)),
  provider: ['corp'],
  group: ['staff', '/a/b'],
  role: ['read', 'write', 'admin'],
  write: ['write', 'admin'],
  pattern: ['main', 'release/*'],
  token: ['laptop', 'ci'],
  kind: ['read', 'write', 'admin', 'storage', 'forge', 'fine-grained'],
  publisher: ['ci', 'release'],
  subject: ['one', 'two'],
  payload: ['{}', '{"sub":"job"}'],
  claim: ['sub=job', 'repository_id=74'],
  id: ['a'.repeat(26), 'ID'],
  forge: ['f'.repeat(26), 'FORGE'],
  kid: ['k'.repeat(43), 'KID'],
  use: ['tokens', 'revocations'],
  flag: ['--administrator', '--no-administrator', '--disabled', '--no-disabled'],
}

/** Every verb but those that take a secret from standard input; some of them in several forms. */
export const forms: readonly string[] = [
  'account create {account}',
  'account create {account} --administrator',
  'account list',
  'account show {account}',
  'account set {account} {flag}',
  'account delete {account}',
  'namespace create {namespace}',
  'namespace set {namespace} --storage default',
  'namespace set {namespace} --quota 500GB',
  'namespace list',
  'namespace show {namespace}',
  'namespace delete {namespace}',
  'member set {namespace} {account} {role}',
  'member list {namespace}',
  'member delete {namespace} {account}',
  'repo create {repository}',
  'repo list',
  'repo list --namespace {namespace}',
  'repo show {repository}',
  'repo set {repository} --default-branch {branch}',
  'repo delete {repository}',
  'collaborator set {repository} {account} {role}',
  'collaborator list {repository}',
  'collaborator delete {repository} {account}',
  'team create {namespace} {team}',
  'team create {namespace} {team} --role {role}',
  'team list {namespace}',
  'team show {namespace} {team}',
  'team set {namespace} {team} --role {role}',
  'team delete {namespace} {team}',
  'team-member set {namespace} {team} {account}',
  'team-member list {namespace} {team}',
  'team-member delete {namespace} {team} {account}',
  'team-group set {namespace} {team} {provider} {group}',
  'team-group list {namespace} {team}',
  'team-group delete {namespace} {team} {provider} {group}',
  'team-role set {repository} {team} {role}',
  'team-role list {repository}',
  'team-role delete {repository} {team}',
  'ref-rule set {repository} {pattern} {write}',
  'ref-rule list {repository}',
  'ref-rule delete {repository} {pattern}',
  'publisher create {repository} {publisher} --preset other --issuer https://ci.example --claim sub=job --contents write --ref main',
  'publisher create {repository} {publisher} --preset github --claim {claim} --contents read',
  'publisher list {repository}',
  'publisher show {repository} {publisher}',
  'publisher set {repository} {publisher} --ref {branch}',
  'publisher delete {repository} {publisher}',
  'publisher refusals {repository}',
  'publisher explain {repository} --payload {payload}',
  'ref set {repository} {ref}',
  'ref set {repository} {ref} {commit}',
  'ref set {repository} {ref} {commit} --expect {expected}',
  'ref set {repository} {ref} --from {moving}',
  'ref list {repository}',
  'ref show {repository} {ref}',
  'ref update {repository}',
  'ref delete {repository} {ref}',
  'commit record {repository} {commit} --on {moving}',
  'commit list {repository}',
  'account link {account} --provider corp --issuer https://login.example --subject {subject}',
  'account unlink {account} --issuer https://login.example --subject {subject}',
  'identity end corp',
  'identity list {account}',
  'hub-token create {account} {token} --kind {kind}',
  'hub-token list --account {account}',
  'hub-token show {id}',
  'hub-token set {id} --expires-at 2090-01-01T00:00:00Z',
  'hub-token revoke {id}',
  'revoke hub-token {id}',
  'revoke account {account}',
  'revoke repository {repository}',
  'revoke ref {repository} {ref}',
  'forge adopt {forge}',
  'keys list',
  'keys rotate --use {use}',
  'keys retire {kid}',
  'changes',
  'changes --since 5',
  'apply -',
  'apply - --prune',
]

export interface Typed {
  readonly words: readonly string[]
  /** What standard input has. */
  readonly input: string
}

export function drawCommand(draw: Draw): Typed {
  const pick = (from: readonly string[]) => from[draw(from.length)] ?? ''
  const fill = (form: string) => form.replace(/\{(\w+)\}/g, (_, name) => pick(choices[name] ?? []))
  const words = fill(pick(forms)).split(' ')
  return { words, input: words[0] === 'apply' ? fileOf(fill) : fill(push) }
}

const push = '{expected} {commit} refs/heads/main\n{expected} {commit} refs/tags/v1\n'

/** What it says of refs and roles depends on things that the file itself does not make. */
function fileOf(fill: (form: string) => string): string {
  const [account, repository] = [fill('{account}'), fill('{repository}').split('/')]
  const [type = '', ...id] = repository
  return JSON.stringify({
    namespaces: [{ name: fill('{namespace}'), members: { [account]: fill('{role}') } }],
    repositories: [
      {
        type: type.slice(0, -1),
        id: id.join('/'),
        branches: { [fill('{branch}')]: null },
      },
    ],
    hubTokens: [{ account, name: fill('{token}'), kind: 'write' }],
  })
}
