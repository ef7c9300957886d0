/** Fetches a range and counts its bytes, with next to nothing of a client around it. */

import { connect } from 'node:net'

export function fetchRange(url: string, start: number, end: number): Promise<void> {
  const { host, port, hostname, pathname, search } = new URL(url)
  const length = end - start + 1
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, noDelay: true })
    let received = 0
    let headEnd = -1
    socket.on('error', reject)
    socket.on('connect', () =>
      socket.write(
        `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nRange: bytes=${start}-${end}\r\nConnection: close\r\n\r\n`,
      ),
    )
    socket.on('data', (piece) => {
      if (headEnd === -1) headEnd = received + piece.indexOf('\r\n\r\n') + 4
      if (received === 0 && !piece.toString('latin1', 0, 12).endsWith('206')) {
        reject(new Error(piece.toString('latin1', 0, 1000)))
      }
      received += piece.length
    })
    socket.on('close', () => {
      if (received - headEnd === length) resolve()
      else reject(new Error(`${received - headEnd} of ${length} bytes came`))
    })
  })
}
