/** The decision vectors hold: who gets a storage token, and who is refused why. */

import {
  asRefUid,
  isRefusal,
  parseRevision,
  type Refusal,
  type RepoRef,
  unwrittenUid,
} from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { readSent } from '../../src/identity/read-credential.ts'
import { checkFresh } from '../../src/issue/with-fresh-facts.ts'
import type { Permit } from '../../src/permission/permit.ts'
import { bearer, issuingFor } from './issuing-for.ts'
import { type Case, groups, refs, vectors } from './read-vectors.ts'

const repo: RepoRef = { type: 'model', namespace: 'acme', name: 'bert' }
const cases = groups.flatMap((group) => group.cases)

async function decide(asked: Case): Promise<Permit | Refusal> {
  const { caller, word, scope, now } = asked
  const path = { word, repo, scope, revision: parseRevision(asked.revision) } as const
  const authorization = caller === 'none' ? [] : [bearer]
  const request = { path, sent: readSent(authorization), address: () => 'somewhere', now }
  const { result } = await checkFresh(request, issuingFor(asked))
  return isRefusal(result) ? result : result.permit
}

function summary(result: Permit | Refusal, { repository }: Case): Case['expect'] {
  if (isRefusal(result)) return { refused: result.code, missing: result.missing !== undefined }
  const { ref, sees, roleUntil } = result.permitted
  const isOwn = ref.uid === repository?.ref?.uid
  const until = roleUntil === undefined ? {} : { until: roleUntil }
  return { permitted: ref.name, sees, ...until, ...(isOwn ? {} : { withoutOwn: true }) }
}

describe.each(groups)('$guarantee', (group) => {
  test.each(group.cases)('$name', async (asked) => {
    expect(summary(await decide(asked), asked)).toEqual(asked.expect)
  })
})

describe('the same words refuse', () => {
  test.each(vectors.alike.map((names) => [names.join(' · '), names] as const))(
    '%s',
    async (_, names) => {
      const chosen = cases.filter(({ name }) => names.includes(name))
      expect(chosen).toHaveLength(names.length)
      const answers = await Promise.all(chosen.map(decide))
      expect(answers.filter(isRefusal)).toHaveLength(names.length)
      for (const answer of answers) expect(answer).toEqual(answers[0])
    },
  )
})

describe('a permit', () => {
  const permitted = cases.filter(({ expect }) => 'permitted' in expect)

  test.each(permitted)('is for what was asked and nothing else: $name', async (asked) => {
    const result = await decide(asked)
    expect(isRefusal(result)).toBe(false)
    if (isRefusal(result)) return
    const { ref, ...rest } = result.permitted
    expect(rest).toMatchObject({ scope: asked.scope, repo, repositoryUid: 'repository' })
    const { uid = asRefUid('') } = asked.repository?.ref ?? {}
    expect([uid, unwrittenUid(uid)]).toContain(ref.uid)
    expect(rest.commit).toBe(asked.repository?.ref?.commit)
    expect(rest.sees.length).toBeLessThanOrEqual(8)
  })
})

describe('the vectors', () => {
  test('name every case once', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
  })

  test('use every ref that they describe', () => {
    const used = new Set(cases.map(({ repository }) => repository?.ref))
    expect(Object.values(refs).filter((ref) => !used.has(ref))).toEqual([])
  })

  test('find only what the revision names', () => {
    const misfits = cases.filter(({ repository, revision, policy }) => {
      const name = repository?.ref?.name
      const wanted = parseRevision(revision)
      if (name === undefined) return false
      if (wanted.kind === 'commit') return name !== wanted.hash
      if (wanted.kind === 'ref') return name !== wanted.name
      if (wanted.kind === 'bare') return name !== wanted.branch && name !== wanted.tag
      return !policy.compatible || name !== repository?.defaultBranch
    })
    expect(misfits.map(({ name }) => name)).toEqual([])
  })
})
