/** What the gate itself answers to a question. */

import { type CheckResult, createGate, type Grant, noRevocations } from '@latchkey/gate'
import { statusOf, unixSeconds } from '@latchkey/protocol'
import {
  forEver,
  type KeySet,
  listHash,
  type RevocationList,
  readKeySet,
  readRevocationList,
  verifyHead,
} from '@latchkey/token'
import type { Question, SetGate, Verdict } from './questions.ts'

export type GateVerifier = (question: Question) => Promise<Verdict>

export async function gateVerifier(set: SetGate): Promise<GateVerifier> {
  const { issuer, casUrl, isolation, leewaySeconds, rules } = set
  const keys = await readKeySet(set.jwks)
  const headKeys = await readKeySet(set.headJwks)
  const gate = createGate({
    ...{ keys, issuer, casUrl, leewaySeconds, rules, failuresPerMinute: 0 },
    ...(isolation === null ? {} : { isolation }),
    clock: () => unixSeconds(set.now),
    revocations: { ...noRevocations, latest: snapshotOf(set.list) },
  })
  return async (question) => {
    switch (question.kind) {
      case 'request':
        return verdictOf(await gate.check(question))
      case 'head':
        return headVerdict(question.head, headKeys, issuer)
      case 'list':
        return listVerdict(Buffer.from(question.bytes, 'base64'))
      case 'keys':
        return { kids: await kidsIn(question.document) }
    }
  }
}

function snapshotOf(base64: string) {
  const list: RevocationList = readRevocationList(Buffer.from(base64, 'base64')) ?? new Map()
  const [secondsLeft, ageSeconds] = [() => 60, () => 0]
  const snapshot = { seq: forEver, list, state: () => 'current' as const, ageSeconds, secondsLeft }
  return () => snapshot
}

function verdictOf(checked: CheckResult): Verdict {
  if (!checked.ok) {
    const { code, reason } = checked.refusal
    return { status: statusOf[code], code, ...(reason === undefined ? {} : { reason }) }
  }
  const { requiredScope, path, prefix, query, grant } = checked
  return { status: 200, requiredScope, path, prefix, query, grant: shown(grant) }
}

/** Everything of it, also what only a cut-off is about. */
function shown(grant: Grant): object {
  return { ...grant, sees: grant.sees.map(({ uid, before }) => ({ uid, before })) }
}

async function headVerdict(head: string, keys: KeySet, issuer: string): Promise<Verdict> {
  const verified = await verifyHead(head, { keys, issuer })
  return { ...verified }
}

function listVerdict(bytes: Buffer): Verdict {
  const list = readRevocationList(bytes)
  return { hash: listHash(bytes), entries: list === undefined ? null : [...list] }
}

async function kidsIn(document: string): Promise<readonly string[]> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(document))
    return [...(await readKeySet(JSON.parse(text))).keys()].sort()
  } catch {
    return []
  }
}
