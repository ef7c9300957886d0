/** A hub and a forge's link to it, with people who may do different things. */

import type { CallerPort, CallerQuestions } from '@latchkey/admin-api/forge-port'
import { type LinkedHub, type LinkPlace, linkedHub } from '@latchkey/forge'
import {
  isRefusal,
  parseRefName,
  parseRepoRef,
  type Refusal,
  type Secret,
} from '@latchkey/protocol'
import { newId, pooledRandom } from '@latchkey/service/machine/random'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'

const people = {
  accounts: [
    { name: 'root', administrator: true },
    ...['owner', 'writer', 'reader', 'stranger', 'machine'].map((name) => ({ name })),
  ],
  namespaces: [{ name: 'acme', members: { owner: 'admin', writer: 'write', reader: 'read' } }],
  hubTokens: [
    { account: 'root', name: 'admin', kind: 'admin' },
    { account: 'machine', name: 'forge', kind: 'forge' },
    { account: 'machine', name: 'storage', kind: 'storage' },
    ...['owner', 'writer', 'reader', 'stranger'].map((account) => ({
      ...{ account, name: 'token', kind: 'write' },
    })),
  ],
}

export const random = pooledRandom()

export interface LinkWorld extends World {
  readonly forgeId: string
  /** The hub as a forge sees it. */
  readonly link: LinkedHub
  linkAs(place?: Partial<LinkPlace>): LinkedHub
  /** The questions of one request. */
  as(who: string | undefined, more?: Asking): CallerQuestions
  stopped(): Promise<void>
}

export interface Asking {
  readonly ticket?: string
  readonly port?: Pick<CallerPort, 'asking'>
}

export async function startLinkWorld(change: SettingsChange = {}): Promise<LinkWorld> {
  const world = await startWorld(people, change)
  const forgeId = newId(random)
  const links: LinkedHub[] = []
  const linkAs = (place: Partial<LinkPlace> = {}) => {
    const credential = world.hub.embedded.forge
    const usual = { hubUrl: world.hub.url, credential, allowPlainHttp: false, forgeId }
    const link = linkedHub({ ...usual, ...place })
    links.push(link)
    return link
  }
  const link = linkAs()
  return {
    ...world,
    forgeId,
    link,
    linkAs,
    as(who, { ticket, port = link } = {}) {
      const token: Secret<'hub-token'> | undefined = world.tokens[`${who}/token`]
      const authorization = token === undefined ? [] : [`Bearer ${token.reveal()}`]
      return port.asking({ address: '192.0.2.7', authorization, ticket, requestId: newId(random) })
    },
    async stopped() {
      for (const one of links) await one.close()
      await world.close()
    },
  }
}

export const bert = repoNamed('models/acme/bert')
export const main = refNamed('refs/heads/main')

export function repoNamed(path: string) {
  const repo = parseRepoRef(path)
  if (repo === undefined) throw new Error(`no repository is called ${path}`)
  return repo
}

export function refNamed(text: string) {
  const name = parseRefName(text)
  if (name === undefined) throw new Error(`no ref is called ${text}`)
  return name
}

export function permitted<Value>(value: Value | Refusal): Value {
  if (isRefusal(value)) throw new Error(`${value.code}: ${value.detail}`)
  return value
}

export function codeOf(value: unknown): string | undefined {
  return isRefusal(value) ? value.code : undefined
}
