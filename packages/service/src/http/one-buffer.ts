/** Connections to a server that answers with many bytes. */

import type { Agent } from 'node:http'
import type { OnReadOpts, Socket } from 'node:net'

/** As much as Node reads at once. */
const readBytes = 64 * 1024

/**
 * Lets each connection of an agent read into one buffer as long as it lives, where Node makes a new one for each part that
 * comes. Node's HTTP parser copies what it passes on.
 */
export function readIntoOneBuffer<Some extends Agent>(agent: Some): Some {
  const connect = agent.createConnection
  agent.createConnection = (options, callback) => {
    const onread: OnReadOpts = {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback: (bytes, buffer) => {
        socket.emit('data', buffer.subarray(0, bytes))
        return true
      },
    }
    const socket = connect.call(agent, { ...options, onread } as typeof options, callback) as Socket
    return socket
  }
  return agent
}
