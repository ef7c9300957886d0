/** Changes to the directory that tests make while the hub runs, as a management command would. */

import type { World } from '@latchkey/testing/hub/world'
import { writeTables } from '@latchkey/testing/hub/write-tables'

export async function revoke(world: World, account: string, name: string): Promise<void> {
  const { items } = await world.done('hub-token list', { account })
  const row = (items as { id: string; name: string }[]).find((item) => item.name === name)
  await world.done('hub-token revoke', { hubToken: row?.id })
}

/** A change that concerns nobody, so that the hub forgets what it has cached. */
export function disturb(world: World): Promise<void> {
  return writeTables(world.store.directory, async () => {})
}

/** A moment of the moved clock as the directory reads it. */
export function moment(world: World, secondsFromNow: number): string {
  return new Date((world.now() + secondsFromNow) * 1000).toISOString()
}
