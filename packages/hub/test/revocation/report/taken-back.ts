/** Which storage tokens of a hub are dead, by the cut-offs in its table. */

import { ask } from '@latchkey/testing/hub/ask'
import type { World } from '@latchkey/testing/hub/world'
import { type Claims, cutOffHash, isRevokedBy, revocableOf } from '@latchkey/token'

/** A storage token for `what`, such as `read models/acme/bert@main`. */
export async function tokenFor(world: World, what: string, as: string): Promise<string> {
  const { json } = await ask(world, what, { as })
  if (json.accessToken === undefined) throw new Error(`no token: ${JSON.stringify(json)}`)
  return json.accessToken
}

export function claimsIn(token: string): Claims {
  return partOf(token, 1)
}

export async function isDead({ store }: World, token: string): Promise<boolean> {
  const rows = await store.directory.read((tables) =>
    tables.selectFrom('cut_offs').selectAll().execute(),
  )
  const list = new Map(rows.map((row) => [cutOffHash(row), row.number]))
  return isRevokedBy(revocableOf(claimsIn(token), partOf<{ kid: string }>(token, 0).kid), list)
}

/** The rows that say what is cut, and the entries of the journal about it. */
export async function cutsIn({ store }: World) {
  return store.directory.read(async (tables) => ({
    rows: await tables.selectFrom('cut_offs').selectAll().execute(),
    entries: await tables.selectFrom('journal').selectAll().orderBy('number').execute(),
  }))
}

function partOf<Part>(token: string, index: number): Part {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
}
