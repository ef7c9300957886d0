/** Files are adopted in as many requests as the storage takes. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { Secret } from '@latchkey/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { askStorage, type FileHash } from '../../src/large-files/ask-storage.ts'

test.each([20, 1_000_000])(
  'a group that is too large is halved, after a refusal of %i bytes',
  async (refusalBytes) => {
    const adopted: string[] = []
    const server = createServer(async (request, response) => {
      const { files } = (await json(request)) as { readonly files: readonly string[] }
      if (files.length > 2) {
        response.writeHead(400).end('x'.repeat(refusalBytes))
        return
      }
      adopted.push(...files)
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    const token = {
      casUrl: `http://127.0.0.1:${port}`,
      accessToken: new Secret('access-token', 'x'),
    }
    const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((word) => word.repeat(64) as FileHash)
    expect(await askStorage().adopt(token, files)).toBeUndefined()
    expect(adopted).toEqual(files)
  },
)
