import { casUrl, issuer, keys } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { CannotStart, createGate, type GateOptions } from '../../src/index.ts'

/** What somebody writes whose editor checks no types. */
const made = (options: object) => () => createGate(options as GateOptions)

describe('options that no editor has checked', () => {
  // biome-ignore format: a table is read by its columns
  test.each([
    ['a guard that is mistyped',    { keys, issuer, casUrl, isStilGood: () => false },            /^isStilGood is no option of a gate; there are .*isStillGood/],
    ['a storage that is missing',   { hubUrl: 'https://hub.example' },                            /^audience is missing: give .*casUrl/],
    ['a hub that is missing',       { casUrl },                                                   /^hubUrl is missing: give the URL of the hub/],
    ['another choice without news', { keys, issuer, casUrl, withoutNews: 'admitted' },               /^withoutNews: "admitted" is not allowed; give refuse or admit$/],
    ['a rule that is a text',       { keys, issuer, casUrl, rules: { write: ['POST /v1/foo'] } }, /^rules: "POST \/v1\/foo" matches no path/],
  ])('%s does not start, and is told in one line', (_, options, line) => {
    expect(made(options)).toThrow(CannotStart)
    expect(made(options)).toThrow(line)
  })
})
