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

const ways = ['member', 'lowered', 'disabled', 'collaborator', 'limited', 'revoked'] as const
type WayName = (typeof ways)[number]

interface Named {
  readonly name: string
  readonly way: WayName
}

/** Each has a repository of its own, in a namespace of its name. */
const wavering: readonly Named[] = ways.map((way) => ({ name: way, way }))
/** Their access is withdrawn while a hub is stopped, and at no other time. */
const atStop: readonly Named[] = ways.map((way) => ({ name: `${way}-at-stop`, way }))
const everybody = [...wavering, ...atStop, { name: 'steady', way: 'member' } as const]

export const directory = {
  accounts: [{ name: 'root', administrator: true }, ...everybody.map(({ name }) => ({ name }))],
  namespaces: everybody.map(({ name, way }) => ({
    name: `n-${name}`,
    members: way === 'collaborator' ? { root: 'admin' } : { [name]: 'write' },
  })),
  repositories: everybody.map(({ name, way }) => ({
    ...{ type: 'model', id: `n-${name}/r`, visibility: 'private', branches: { main: commit } },
    collaborators: way === 'collaborator' ? { [name]: 'write' } : {},
  })),
  hubTokens: [
    { account: 'root', name: 'admin', kind: 'admin' },
    { account: 'root', name: 'cas', kind: 'storage' },
    ...everybody.map(({ name: account }) => ({
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

export interface Waverers {
  readonly wavering: readonly Waverer[]
  readonly atStop: readonly Waverer[]
}

export function waverersOf(held: readonly HeldToken[]): Waverers {
  const waverer = ({ name, way }: Named): Waverer => {
    const first = held.find(({ account }) => account === name)
    if (first === undefined) throw new Error(`${name} has no hub token`)
    return way === 'revoked' ? revokedAndRenewed(first) : setAndUnset(way, first)
  }
  return { wavering: wavering.map(waverer), atStop: atStop.map(waverer) }
}

function setAndUnset(way: Exclude<WayName, 'revoked'>, held: HeldToken): Waverer {
  const [withdraw, grant] = stepsOf(held)[way]
  return {
    ...{ name: held.account, hubToken: () => held.token },
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

type Steps = readonly [withdraw: Step, grant: Step]

function stepsOf({ account: name, id }: HeldToken): Record<Exclude<WayName, 'revoked'>, Steps> {
  const member = `/namespaces/n-${name}/members/${name}`
  const account = `/accounts/${name}`
  const collaborator = `/repositories/models/n-${name}/r/collaborators/${name}`
  const limited = `/hub-tokens/${id}`
  const write = { role: 'write' }
  const only = (on: string) => ({ grants: [{ on, contents: 'write' }] })
  // biome-ignore format: a table is read by its columns
  return {
    member:       [{ method: 'DELETE', path: member, isDone: 404 },                 { method: 'PUT',   path: member,       input: write }],
    lowered:      [{ method: 'PUT',    path: member, input: { role: 'read' } },     { method: 'PUT',   path: member,       input: write }],
    disabled:     [{ method: 'PATCH',  path: account, input: { disabled: true } },  { method: 'PATCH', path: account,      input: { disabled: false } }],
    collaborator: [{ method: 'DELETE', path: collaborator, isDone: 404 },           { method: 'PUT',   path: collaborator, input: write }],
    limited:      [{ method: 'PATCH',  path: limited, input: only('other/*') },     { method: 'PATCH', path: limited,      input: only('*') }],
  }
}
