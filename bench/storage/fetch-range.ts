/** Fetches a range and counts its bytes, with next to nothing of a client around it. */

import { connect } from 'node:net'

export function fetchRange(url: string, start: number, end: number): Promise<void> {
  const { host, port, hostname, pathname, search } = new URL(url)
  const length = end - start + 1
  return new Promise((resolve, reject) => {
    let received = 0
    let headEnd = -1
    const take = (piece: Buffer) => {
      if (headEnd === -1) headEnd = received + piece.indexOf('\r\n\r\n') + 4
      if (received === 0 && !piece.toString('latin1', 0, 12).endsWith('206')) {
        reject(new Error(piece.toString('latin1', 0, 1000)))
      }
      received += piece.length
    }
    const memory = Buffer.allocUnsafeSlow(64 * 1024)
    const callback = (bytes: number) => {
      take(memory.subarray(0, bytes))
      return true
    }
    // As the client of a store does, so that the load is not what is measured.
    const onread = { buffer: memory, callback }
    const socket = connect({ port: Number(port), host: hostname, noDelay: true, onread })
    socket.on('error', reject)
    socket.on('connect', () =>
      socket.write(
        `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nRange: bytes=${start}-${end}\r\nConnection: close\r\n\r\n`,
      ),
    )
    socket.on('close', () => {
      if (received - headEnd === length) resolve()
      else reject(new Error(`${received - headEnd} of ${length} bytes came`))
    })
  })
}
