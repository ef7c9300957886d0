import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCommit } from '../conventional-commit.ts'

const read = (message: string) => {
  const { hash: _, ...said } = readCommit('0', message)
  return said
}

const plain = { type: 'feat', scope: undefined, subject: 'a word', breaking: undefined }

// biome-ignore format: a table is read by its columns
test.each([
  ['no type',                   'a word'],
  ['no blank after the colon',  'feat:a word'],
  ['no subject',                'feat: '],
  ['an empty scope',            'feat(): a word'],
  ['a blank before the colon',  'feat : a word'],
  ['the mark before the scope', 'feat!(gate): a word'],
  ['a type of two words',       'new feat: a word'],
])('a message with %s is of no type', (_, message) => {
  expect(read(message)).toMatchObject({ type: 'other', subject: message.trim() })
})

// biome-ignore format: a table is read by its columns
test.each([
  ['a type',                         'feat: a word',                           plain],
  ['a type in capitals',             'FEAT: a word',                           plain],
  ['a scope',                        'feat(gate): a word',                     { ...plain, scope: 'gate' }],
  ['a mark',                         'feat!: a word',                          { ...plain, breaking: 'a word' }],
  ['a footer',                       'feat: a word\n\nBREAKING CHANGE: it',    { ...plain, breaking: 'it' }],
  ['a footer with a hyphen',         'feat: a word\n\nBREAKING-CHANGE: it',    { ...plain, breaking: 'it' }],
  ['mark and footer',                'feat!: a word\n\nBREAKING CHANGE: it',   { ...plain, breaking: 'it' }],
  ['a footer of two lines',          'feat: a word\n\nBREAKING CHANGE: it\nis\nRefs: 1', { ...plain, breaking: 'it is' }],
  ['a footer in small letters',      'feat: a word\n\nbreaking change: it',    plain],
  ['the words inside a line',        'feat: a word\n\nno BREAKING CHANGE: it', plain],
  ['line ends of Windows',           'feat: a word\r\n\r\nBREAKING CHANGE: it\r\n', { ...plain, breaking: 'it' }],
])('%s is read', (_, message, expected) => {
  expect(read(message)).toEqual(expected)
})

describe('for every message', () => {
  const unit = [
    'feat',
    '(',
    ')',
    '!',
    ': ',
    ' ',
    '\n',
    '\r',
    '\u2028',
    '#',
    '<',
    'BREAKING CHANGE',
    'é',
    '\0',
  ]
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const sentence = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '))
  const parts = fc.record({
    type: word.filter((type) => type !== 'other'),
    scope: fc.option(fc.stringMatching(/^[a-z][a-z/ -]{0,8}$/), { nil: undefined }),
    mark: fc.boolean(),
    subject: sentence,
    body: fc.option(sentence, { nil: undefined }),
    broken: fc.option(sentence, { nil: undefined }),
  })

  test('what was written is read again', () => {
    fc.assert(
      fc.property(parts, ({ type, scope, mark, subject, body, broken }) => {
        const header = `${type}${scope === undefined ? '' : `(${scope})`}${mark ? '!' : ''}: ${subject}`
        const footer = broken === undefined ? undefined : `BREAKING CHANGE: ${broken}`
        const message = [header, body, footer].filter((part) => part !== undefined).join('\n\n')
        const breaking = broken ?? (mark ? subject : undefined)
        expect(read(message)).toEqual({ type, scope, subject, breaking })
      }),
    )
  })

  test('a subject has one line, and its text is in the message', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...unit) }), (message) => {
        const { subject } = read(message)
        expect(subject).not.toContain('\n')
        expect(message).toContain(subject)
      }),
    )
  })
})
