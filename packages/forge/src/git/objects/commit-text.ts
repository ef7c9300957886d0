import { type CommitHash, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { type ObjectHash, readHash } from './object-hash.ts'

export interface Person {
  readonly name: string
  readonly email: string
}

export interface SignedText extends Person {
  readonly at: UnixSeconds
}

export interface Commit {
  readonly hash: CommitHash
  readonly tree: ObjectHash
  readonly parents: readonly CommitHash[]
  readonly author: SignedText
  readonly committer: SignedText
  readonly message: string
}

export function parseCommit(hash: CommitHash, bytes: Buffer): Commit {
  const headEnd = bytes.indexOf('\n\n')
  const head = headEnd === -1 ? bytes : bytes.subarray(0, headEnd)
  const lines = head.toString('latin1').split('\n')
  const valuesOf = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  const decode = decoderFor(valuesOf('encoding')[0])
  const signed = (word: string) =>
    parseSigned(decode(Buffer.from(valuesOf(word)[0] ?? '', 'latin1')))
  return {
    hash,
    tree: readHash(valuesOf('tree')[0] ?? ''),
    parents: valuesOf('parent').map((text) => readHash(text) as CommitHash),
    author: signed('author'),
    committer: signed('committer'),
    message: headEnd === -1 ? '' : decode(bytes.subarray(headEnd + 2)),
  }
}

/** UTF-8 unless the commit says otherwise. Bytes that mean nothing are shown as U+FFFD. */
function decoderFor(encoding = 'utf-8'): (bytes: Uint8Array) => string {
  try {
    const decoder = new TextDecoder(encoding)
    return (bytes) => decoder.decode(bytes)
  } catch {
    return (bytes) => Buffer.from(bytes).toString('utf8')
  }
}

/** `Ada <ada@example.org> 1700000000 +0000`; a line that is not so has the moment 0. */
function parseSigned(text: string): SignedText {
  const found = / ?<([^<>]*)> (\d{1,15}) [+-]\d{4}$/.exec(text)
  const [, email = '', at = '0'] = found ?? []
  return { name: text.slice(0, found?.index), email, at: unixSeconds(Number(at)) }
}
