import { describe, expect, test } from 'vitest'
import { didYouMean, kindOf, nearest, optionFault } from '../src/index.ts'

const types = { hubUrl: 'string', hubToken: 'string|function', revision: 'string', other: 'any' }
const groups = { limits: { connections: 'number', failures: { perMinute: 'number' } } }
const groupFaultOf = (limits: unknown) => optionFault('a client', { limits }, groups)
const faultOf = (given: unknown) => optionFault('a client', given, types, { branch: 'revision' })

describe('a sentence about options', () => {
  // biome-ignore format: a table is read by its columns
  test.each([
    ['a name that is mistyped',        { hubUlr: 'x' },        'hubUlr is no option of a client. Did you mean hubUrl? Its options are hubUrl, hubToken, revision, other.'],
    ['a part of a name',               { token: 'x' },         'token is no option of a client. Did you mean hubToken?'],
    ['a name of another library',      { branch: 'x' },        'branch is no option of a client. Did you mean revision?'],
    ['a name that resembles none',     { zzzzzzzz: 'x' },      'zzzzzzzz is no option of a client. Its options are'],
    ['a name that every object has',   { toString: 'x' },      'toString is no option of a client.'],
    ['an unknown name without value',  { branch: undefined },  'branch is no option of a client.'],
    ['a value of another type',        { revision: 7 },        'revision of a client must be string, and is a number.'],
    ['a value of neither type',        { hubToken: null },     'hubToken of a client must be string or function, and is null.'],
    ['a text in place of options',     'https://hub.example',  'a client takes its options as an object, and got a string. Its options are hubUrl,'],
    ['a list in place of options',     [],                     'a client takes its options as an object, and got an array.'],
    ['nothing in place of options',    undefined,              'a client takes its options as an object, and got undefined.'],
  ])('names %s, and repeats no value', (_, given, sentence) => {
    expect(faultOf(given)?.slice(0, sentence.length)).toBe(sentence)
  })

  // biome-ignore format: a table is read by its columns
  test.each([
    ['a name that is mistyped',      { conections: 7 },               'conections is no option of limits of a client. Did you mean connections?'],
    ['a name in a group of a group', { failures: { perMinutes: 7 } }, 'perMinutes is no option of failures of limits of a client. Did you mean perMinute?'],
    ['a value of another type',      { connections: '7' },            'connections of limits of a client must be number, and is a string.'],
    ['null in place of a group',     null,                            'limits of a client must be object, and is null.'],
    ['a list in place of a group',   [7],                             'limits of a client must be object, and is an array.'],
    ['a number in place of a group', 7,                               'limits of a client must be object, and is a number.'],
  ])('names %s in a group of options', (_, given, sentence) => {
    expect(groupFaultOf(given)?.slice(0, sentence.length)).toBe(sentence)
  })

  test('is not there for a group that is right, or left out', () => {
    const right = { connections: 7, failures: { perMinute: undefined } }
    expect([undefined, {}, right].map(groupFaultOf)).toEqual([undefined, undefined, undefined])
  })

  test('is not there for options that are right, or left out', () => {
    expect(faultOf({})).toBeUndefined()
    expect(
      faultOf({ hubUrl: 'x', hubToken: () => 'x', revision: undefined, other: 7 }),
    ).toBeUndefined()
  })
})

test('a value is named by its type, and by its class where that says more', () => {
  const values = [null, undefined, 'x', 7, true, [], {}, () => {}, new Map(), new URL('http://x')]
  expect(values.map(kindOf)).toEqual([
    ...['null', 'undefined', 'a string', 'a number', 'a boolean', 'an array', 'an object'],
    ...['a function', 'a Map', 'a URL'],
  ])
  expect(kindOf(Object.create(null))).toBe('an object')
})

test('the nearest word is one with few other letters, or one that contains the other', () => {
  const words = ['port', 'hubUrl', 'revision']
  expect(nearest('prot', words)).toBe('port')
  expect(nearest('url', words)).toBe('hubUrl')
  expect(nearest('something', words)).toBeUndefined()
  expect(didYouMean('PORT', words)).toBe(' Did you mean port?')
})
