/** Can a caller tell a hidden repository from an absent one by the time that the answer takes? */

import { connect } from 'node:net'
import { join } from 'node:path'
import { isRefusal, parseRevision, type UnixSeconds } from '@latchkey/protocol'
import { openForReading } from '@latchkey/service/database'
import { accessOf } from '../../packages/hub/src/access/find-access.ts'
import { decidePermission } from '../../packages/hub/src/permission/decide-permission.ts'
import { sqliteAccess } from '../../packages/hub/src/stores/sqlite/sqlite-access.ts'
import { type Ask, compare } from '../hidden/compare.ts'
import { type HiddenWorld, nameOf, openHiddenWorld } from '../hidden/directory.ts'
import type { Part } from '../part.ts'

const repositories = 100_000

export const hidden: Part = {
  name: 'hidden',
  async figures({ rounds = 30_000 }) {
    const world = await openHiddenWorld(repositories)
    try {
      const comparing = { rounds, repositories }
      return [
        ...(await compare('lookup and decision', lookingUp(world), comparing)),
        ...(await compare('answer over HTTP', await asking(world), comparing)),
      ]
    } finally {
      await world.close()
    }
  },
}

/** Without a network: the smallest difference that there is to measure. */
function lookingUp({ settings, hubTokenHash }: HiddenWorld): Ask {
  const { findAccess } = accessOf(sqliteAccess(openForReading(join(settings.data, 'latchkey.db'))))
  const now = Math.floor(Date.now() / 1000) as UnixSeconds
  const revision = parseRevision('main')
  return async (index) => {
    const repo = { type: 'model', namespace: 'acme', name: nameOf(index) } as const
    const { asOf, ...found } = await findAccess({ now, hubTokenHash, repo, revision })
    const { caller, repository } = found
    if (isRefusal(caller)) throw new Error(caller.detail)
    const wanted = { caller, repo, asOf, repository, scope: 'read', revision } as const
    const decision = decidePermission(wanted, { hidePrivateRepositories: true })
    if (!isRefusal(decision) || decision.code !== 'repository_not_found') {
      throw new Error(`${repo.name} is not hidden`)
    }
  }
}

/** As a caller would: one connection, one request after the other. */
async function asking({ url, authorization }: HiddenWorld): Promise<Ask> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
  let answered: (text: string) => void = () => {}
  socket.on('data', (chunk) => answered(chunk.toString('latin1')))
  await new Promise((resolve) => socket.once('connect', resolve))
  return async (index) => {
    const path = `/api/models/acme/${nameOf(index)}/storage-read-token/main`
    const answer = new Promise<string>((resolve) => {
      answered = resolve
    })
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`,
    )
    const text = await answer
    if (!text.startsWith('HTTP/1.1 404')) throw new Error(text)
  }
}
