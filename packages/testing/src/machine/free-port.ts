/** A port of this machine that nothing listens on at this moment. */

import { freePort as freePortOf } from '@latchkey/service/free-port'

export async function freePort(): Promise<number> {
  const port = await freePortOf('127.0.0.1')
  if (port === undefined) throw new Error('nothing can listen on 127.0.0.1')
  return port
}
