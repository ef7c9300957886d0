/** The body of an upload that is kept as far as it comes: a broken one ends early, and its bytes are stored. */

import { refuse } from '@latchkey/protocol'
import { type Body, ClientGone } from '../request/asked.ts'

/** Goes on after a client that has gone; ends with its token. */
export function untilRevoked(signal: AbortSignal): AbortSignal {
  const ending = new AbortController()
  const end = () => {
    if (!(signal.reason instanceof ClientGone)) ending.abort(signal.reason)
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return ending.signal
}

/** A body that is longer than its range is stopped there. */
export function bodyUpTo({ stream, length, stop }: Body, most: number | undefined): Body {
  if (most === undefined || length === most) return { stream, length, stop }
  return { length, stop, stream: cutAt(stream, { most, stop }) }
}

async function* cutAt(
  stream: Body['stream'],
  { most, stop }: Pick<Body, 'stop'> & { readonly most: number },
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const part of stream) {
    const room = most - bytes
    bytes += part.length
    if (part.length > room) stop(longerThanRange)
    if (room > 0) yield part.subarray(0, room)
  }
}

const longerThanRange = refuse(
  'bad_request',
  'The body has more bytes than Content-Range says. The bytes up to there are kept. Send the range that the body has.',
)
