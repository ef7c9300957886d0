/** A port that nobody listens on at this moment. */

import { createServer } from 'node:net'
import { unavailable } from '../output/stop.ts'

export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', () =>
      reject(unavailable(`nothing can listen on ${host}: choose another with --host`)),
    )
    server.listen(0, host, () => {
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      server.close(() => resolve(port ?? 0))
    })
  })
}
