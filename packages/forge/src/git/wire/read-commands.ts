/** Reads what a push asks for: a line for each ref, and behind them the pack with the objects that the hub may lack. */

import { noCommit } from '@latchkey/protocol'
import { slicePauses } from '@latchkey/service/limits/slices'
import { OpenBytes } from '../../words/open-bytes.ts'
import { type ObjectHash, parseObjectHash } from '../objects/object-hash.ts'
import { packetLength } from './packets.ts'

/** As the client sends it; whether the ref may be called so is checked later. */
export interface PushCommand {
  readonly ref: string
  /** 40 zeros where the client takes the ref for absent. */
  readonly old: ObjectHash | typeof noCommit
  /** 40 zeros delete it. */
  readonly new: ObjectHash | typeof noCommit
}

export interface PushRequest {
  readonly commands: readonly PushCommand[]
  readonly capabilities: ReadonlySet<string>
  /** Empty where refs are only deleted. */
  readonly pack: AsyncIterable<Uint8Array>
}

/** A request that is refused, as far as it was read. */
export interface FaultyRequest extends Omit<PushRequest, 'pack'> {
  readonly fault: 'unreadable' | 'too-many' | 'signed' | 'twice'
}

/** Git sends one request for all refs of a push, tags included. */
export const maxCommands = 1000
const maxCommandBytes = 1024 * 1024

/** A request without commands is how git finds out whether it must log in. */
export async function readCommands(
  body: AsyncIterable<Uint8Array>,
): Promise<PushRequest | FaultyRequest> {
  const parts = body[Symbol.asyncIterator]()
  const open = new OpenBytes()
  const commands: PushCommand[] = []
  let capabilities: ReadonlySet<string> = new Set()
  let readBytes = 0
  /** Where the next line begins. What comes before it is copied away once for each part of the body, not for each line. */
  let at = 0
  const line = async (): Promise<Buffer | 'end' | undefined> => {
    for (;;) {
      const { bytes } = open
      const left = bytes.length - at
      const length = left < 4 ? undefined : packetLength(bytes, at)
      if (left >= 4 && length === undefined) return undefined
      if (length !== undefined && left >= length) {
        const start = at
        at += length
        readBytes += length
        if (length === 4) return bytes.toString('latin1', start, at) === '0000' ? 'end' : undefined
        return bytes.subarray(start + 4, at)
      }
      const { done, value } = await parts.next()
      if (done === true) return left === 0 && commands.length === 0 ? 'end' : undefined
      if (at > 0) open.append(open.take().subarray(at))
      at = 0
      open.append(value)
    }
  }
  const pause = slicePauses()
  const names = new Set<string>()
  const faulty = (fault: FaultyRequest['fault']) => ({ commands, capabilities, fault })
  for (let next = await line(); next !== 'end'; next = await line()) {
    if (next === undefined) return faulty('unreadable')
    await pause()
    if (readBytes > maxCommandBytes || commands.length === maxCommands) return faulty('too-many')
    const nul = next.indexOf(0)
    if (nul !== -1 && commands.length === 0) capabilities = capabilitiesIn(next.subarray(nul + 1))
    const text = textOf(nul === -1 ? next : next.subarray(0, nul))
    if (text === undefined) return faulty('unreadable')
    // Whether the hub has what a shallow repository lacks is told by the links of the commits.
    if (text.startsWith('shallow ')) continue
    if (text.startsWith('push-cert')) return faulty('signed')
    const command = commandIn(text)
    if (command === undefined) return faulty('unreadable')
    if (names.has(command.ref)) return faulty('twice')
    names.add(command.ref)
    commands.push(command)
  }
  return { commands, capabilities, pack: rest(open.take().subarray(at), parts) }
}

function capabilitiesIn(bytes: Buffer): ReadonlySet<string> {
  return new Set(bytes.toString('latin1').trim().split(' '))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes).replace(/\n$/, '')
  } catch {
    return undefined
  }
}

function commandIn(text: string): PushCommand | undefined {
  const [, before = '', after = '', ref = ''] = /^(\w{40}) (\w{40}) (.+)$/.exec(text) ?? []
  const [old, new_] = [hashIn(before), hashIn(after)]
  if (old === undefined || new_ === undefined) return undefined
  return { ref, old, new: new_ }
}

function hashIn(text: string): ObjectHash | typeof noCommit | undefined {
  return text === noCommit ? noCommit : parseObjectHash(text)
}

async function* rest(
  first: Uint8Array,
  parts: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (first.length > 0) yield first
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
      yield part.value
    }
  } finally {
    await parts.return?.()
  }
}
