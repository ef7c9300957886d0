/** The guide for writers of a verifier shows the error response that the gate gives to a token of another ref. */

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createGate } from '@latchkey/gate'
import { asRefUid } from '@latchkey/protocol'
import {
  bert,
  casUrl,
  issuer,
  keys,
  main,
  startOfTime,
  token,
} from '@latchkey/testing/gate/storage-tokens'
import { expect, test } from 'vitest'
import { guardFetch } from '../../src/adapters/fetch.ts'

const page = readFileSync(
  resolve(import.meta.dirname, '../../../../docs/guides/write-a-verifier.md'),
  'utf8',
)
const [, response = ''] = /^```text\n(HTTP.*?)^```$/ms.exec(page) ?? []
const refUid = 'm7tz3nfqk5xwd2ry6jvc4hpbse'

/** Text in which three dots stand for any text. */
const shown = (text: string) =>
  new RegExp(`^${text.split('...').map(RegExp.escape).join('.*')}$`, 's')

async function responseTo(ref: { readonly name: string; readonly uid: string }) {
  const gate = createGate({ keys, issuer, casUrl, clock: () => startOfTime })
  const guarded = guardFetch(gate, () => new Response('content'))
  const bearer = token({ ref: { name: ref.name, uid: asRefUid(ref.uid) } })
  const headers = { Authorization: `Bearer ${bearer}` }
  const url = `https://cas.example/r/${bert.uid}/${refUid}/v1/chunks/abc`
  return guarded(new Request(url, { headers }))
}

test('the guide for verifiers shows the error response to a token of another ref', async () => {
  const sent = await responseTo(main)
  const [head = '', body = ''] = response.split('\n\n')
  const [statusLine, ...headers] = head.split('\n')
  expect(statusLine).toBe(`HTTP/1.1 ${sent.status} Forbidden`)
  for (const header of headers) {
    const [name = '', value = ''] = header.split(': ')
    expect(sent.headers.get(name)).toMatch(shown(value))
  }
  const members: Readonly<Record<string, unknown>> = JSON.parse(await sent.text())
  const documented: Readonly<Record<string, unknown>> = JSON.parse(body)
  expect(Object.keys(members)).toEqual(Object.keys(documented))
  for (const [name, value] of Object.entries(documented)) {
    const matches = typeof value === 'string' ? expect.stringMatching(shown(value)) : value
    expect(members[name]).toEqual(
      name === 'requestId' ? expect.stringMatching(/^[a-z2-7]{26}$/) : matches,
    )
  }
})

test('the same request is admitted with a token of its ref', async () => {
  const sent = await responseTo({ name: 'refs/heads/dev', uid: refUid })
  expect(sent.status).toBe(200)
})

test('the guide for verifiers has a heading for each of the twelve steps', () => {
  const numbers = Array.from(page.matchAll(/^## (\d+)\. /gm), ([, number]) => Number(number))
  expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
})
