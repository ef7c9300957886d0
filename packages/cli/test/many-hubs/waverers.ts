/** Accounts whose access is withdrawn and given back again and again, each in another way. */

export interface Step {
  readonly method: string
  /** Below the admin API. */
  readonly path: string
  readonly input?: object
  /** The status where an earlier request, whose answer was lost, has done it already. */
  readonly isDone?: number
}

export interface Waverer {
  readonly name: string
  /** The one that it has now. */
  hubToken(): string
  withdraw(): Step
  grant(): Step
  /** Told what the hub answered to `grant`. */
  granted(body: Readonly<Record<string, unknown>>): void
}

const commit = '1'.repeat(40)

/** Each with a repository of its own, of the same name. */
const names = ['member', 'lowered', 'disabled', 'collaborator', 'limited', 'revoked'] as const
type Name = (typeof names)[number]

export const directory = {
  accounts: [
    { name: 'root', administrator: true },
    ...[...names, 'steady'].map((name) => ({ name })),
  ],
  namespaces: [...names, 'steady'].map((name) => ({
    name: `n-${name}`,
    members: name === 'collaborator' ? { root: 'admin' } : { [name]: 'write' },
  })),
  repositories: [...names, 'steady'].map((name) => ({
    ...{ type: 'model', id: `n-${name}/r`, visibility: 'private', branches: { main: commit } },
    collaborators: name === 'collaborator' ? { collaborator: 'write' } : {},
  })),
  hubTokens: [
    { account: 'root', name: 'admin', kind: 'admin' },
    { account: 'root', name: 'cas', kind: 'storage' },
    ...[...names, 'steady'].map((account) => ({
      ...{ account, name: 'laptop', kind: 'fine-grained' },
      grants: [{ on: '*', contents: 'write' }],
    })),
  ],
}

/** The path of a token request. */
export function tokenPath(account: string): string {
  return `/api/models/n-${account}/r/storage-write-token/main`
}

export interface HeldToken {
  readonly account: string
  readonly name: string
  readonly id: string
  readonly token: string
}

export function waverersOf(held: readonly HeldToken[]): readonly Waverer[] {
  return names.map((name) => {
    const first = held.find(({ account }) => account === name)
    if (first === undefined) throw new Error(`${name} has no hub token`)
    return name === 'revoked' ? revokedAndRenewed(first) : setAndUnset(name, first)
  })
}

function setAndUnset(name: Exclude<Name, 'revoked'>, { id, token }: HeldToken): Waverer {
  const [withdraw, grant] = waysOf(id)[name]
  return {
    ...{ name, hubToken: () => token },
    withdraw: () => withdraw,
    grant: () => grant,
    granted() {},
  }
}

/** A new hub token each time; also one whose answer is lost has taken its name. */
function revokedAndRenewed(first: HeldToken): Waverer {
  const { account } = first
  let now: Pick<HeldToken, 'id' | 'token'> = first
  let count = 0
  return {
    ...{ name: account, hubToken: () => now.token },
    withdraw: () => ({ method: 'POST', path: `/hub-tokens/${now.id}/revoke`, input: {} }),
    grant() {
      count += 1
      const input = { account, name: `laptop-${count}`, kind: 'write' }
      return { method: 'POST', path: '/hub-tokens', input }
    },
    granted({ id, token }) {
      now = { id: String(id), token: String(token) }
    },
  }
}

type Way = readonly [withdraw: Step, grant: Step]

function waysOf(hubTokenId: string): Record<Exclude<Name, 'revoked'>, Way> {
  const member = '/namespaces/n-member/members/member'
  const lowered = '/namespaces/n-lowered/members/lowered'
  const disabled = '/accounts/disabled'
  const collaborator = '/repositories/models/n-collaborator/r/collaborators/collaborator'
  const limited = `/hub-tokens/${hubTokenId}`
  const write = { role: 'write' }
  const only = (on: string) => ({ grants: [{ on, contents: 'write' }] })
  // biome-ignore format: a table is read by its columns
  return {
    member:       [{ method: 'DELETE', path: member, isDone: 404 },                 { method: 'PUT',   path: member,       input: write }],
    lowered:      [{ method: 'PUT',    path: lowered, input: { role: 'read' } },    { method: 'PUT',   path: lowered,      input: write }],
    disabled:     [{ method: 'PATCH',  path: disabled, input: { disabled: true } }, { method: 'PATCH', path: disabled,     input: { disabled: false } }],
    collaborator: [{ method: 'DELETE', path: collaborator, isDone: 404 },           { method: 'PUT',   path: collaborator, input: write }],
    limited:      [{ method: 'PATCH',  path: limited, input: only('other/*') },     { method: 'PATCH', path: limited,      input: only('*') }],
  }
}
