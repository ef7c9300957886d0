/** Writes the hub's part of a push: the refs that there are, and the end of each command. */

import { noCommit, type RefName } from '@latchkey/protocol'
import type { ObjectHash } from '../objects/object-hash.ts'

/**
 * `no-thin`: a pack that names an object as the base of another would make the hub read objects that the client may not
 * read.
 */
const ownCapabilities = [
  ...['report-status', 'delete-refs', 'side-band-64k', 'quiet', 'atomic', 'ofs-delta', 'no-thin'],
  ...['object-format=sha1', 'agent=latchkey'],
].join(' ')

/** For `GET …/info/refs?service=git-receive-pack`. */
export function* pushAdvertisement(refs: ReadonlyMap<RefName, ObjectHash>): Generator<Uint8Array> {
  yield Buffer.from(`${packet('# service=git-receive-pack\n')}0000`)
  let end = `\0${ownCapabilities}\n`
  for (const [name, hash] of refs) {
    yield packetOf(Buffer.from(`${hash} ${name}${end}`))
    end = '\n'
  }
  if (refs.size === 0) yield Buffer.from(packet(`${noCommit} capabilities^{}${end}`))
  yield Buffer.from('0000')
}

export interface PushReport {
  /** Undefined where the objects were taken. */
  readonly unpackFault: string | undefined
  /** By ref; undefined for one that was changed. */
  readonly faults: ReadonlyMap<string, string | undefined>
  /** Sentences for the terminal of the client. */
  readonly messages: readonly string[]
}

/** Says nothing where the client has not asked for a report. */
export function* pushReport(
  { unpackFault, faults, messages }: PushReport,
  capabilities: ReadonlySet<string>,
): Generator<Uint8Array> {
  const hasBands = capabilities.has('side-band-64k')
  const lines = [
    `unpack ${oneLine(unpackFault ?? 'ok')}\n`,
    ...Array.from(faults, ([ref, fault]) =>
      fault === undefined ? `ok ${ref}\n` : `ng ${ref} ${oneLine(fault)}\n`,
    ),
  ]
  const report = Buffer.concat([...lines.map((line) => packetOf(Buffer.from(line))), flush])
  if (hasBands) {
    for (const text of messages) yield* banded(2, Buffer.from(`${oneLine(text)}\n`))
  }
  if (capabilities.has('report-status')) {
    if (hasBands) yield* banded(1, report)
    else yield report
  }
  if (hasBands) yield flush
}

/** Keeps proxies and clients waiting: it is empty. */
export const keepAlive: Uint8Array = Buffer.from('0005\u0001')

const flush = Buffer.from('0000')
const maxBandBytes = 65_515

function* banded(band: 1 | 2, bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += maxBandBytes) {
    yield packetOf(Buffer.concat([Buffer.of(band), bytes.subarray(at, at + maxBandBytes)]))
  }
}

function packet(text: string): string {
  return packetOf(Buffer.from(text)).toString('utf8')
}

function packetOf(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

function oneLine(text: string): string {
  return text.replaceAll(/[\n\r\0]+/g, ' ')
}
