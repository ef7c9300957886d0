/** A fake hub of the test kit that listens on a port, for gates that know nothing but its URL. */

import { type FakeHub, fakeHub } from '@latchkey/gate/testing'
import { onTestFinished } from 'vitest'
import { freePort } from '../machine/free-port.ts'

/** Its URL is the issuer of its tokens. It listens until the test is over. */
export async function listeningHub(casUrl: string): Promise<FakeHub> {
  const port = await freePort()
  const hub = await fakeHub({ casUrl, issuer: `http://127.0.0.1:${port}` })
  onTestFinished(() => hub.close())
  await hub.listen(port)
  return hub
}
