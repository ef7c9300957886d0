/** The documents of a fake hub over HTTP, for verifiers in another process. */

import { createServer, type RequestListener } from 'node:http'

export interface ServedHub {
  readonly url: string
  close(): Promise<void>
}

export async function serveHub(answer: RequestListener, port: number): Promise<ServedHub> {
  const server = createServer(answer)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const listeningPort = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${listeningPort}`,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
