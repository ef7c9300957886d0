/** Speaks TLS with clients and hands on their bytes, as a proxy before a service does. */

import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:tls'
import type { KeyedCertificate } from './certificates.ts'

export interface TlsFront {
  readonly url: string
  close(): void
}

/** `target` is the URL of a service on this machine. A front has one name: `localhost`. */
export async function openTlsFront(
  { cert, key }: KeyedCertificate,
  target: string,
  port = 0,
): Promise<TlsFront> {
  const { hostname, port: targetPort } = new URL(target)
  const server = createServer({ cert, key }, (socket) => {
    const behind = connect(Number(targetPort), hostname)
    const end = () => {
      socket.destroy()
      behind.destroy()
    }
    for (const one of [socket, behind]) one.on('error', end).on('close', end)
    socket.pipe(behind).pipe(socket)
  })
  // A client that does not trust the certificate breaks off.
  server.on('tlsClientError', () => {})
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const open = new Set<{ destroy(): unknown }>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
