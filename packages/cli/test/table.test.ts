import { escapeText } from '@latchkey/service/text'
import { describe, expect, it } from 'vitest'
import { record, table } from '../src/output/table.ts'

describe('a table', () => {
  it('aligns its columns and says yes, no and nothing in words', () => {
    const rows = [
      { name: 'ada', administrator: true, lastUsedAt: '2026-01-01T00:00:00Z', grants: [] },
      { name: 'ci-bot', administrator: false, grants: [] },
    ]
    expect(table(rows)).toBe(
      [
        'NAME    ADMINISTRATOR  LAST USED AT',
        'ada     yes            2026-01-01T00:00:00Z',
        'ci-bot  no             –',
        '',
      ].join('\n'),
    )
  })

  it('shows grants as they are typed', () => {
    const grants = [{ on: 'models/acme/bert', contents: 'write', refs: ['main', 'release/*'] }]
    expect(record({ grants })).toBe('GRANTS  write:models/acme/bert@main,release/*\n')
  })

  // conformance: Attacks / 31. An attacker reads a secret in a log or table, or forges a log line
  it('keeps a cell on its line, whatever is in it', () => {
    const rows = [{ name: 'a\nb\r\u001b[2J' }, { name: 'safe\u202egnp.exe' }]
    expect(table(rows)).toBe('NAME\na\\x0ab\\x0d\\x1b[2J\nsafe\\u{202e}gnp.exe\n')
  })
})

describe('escaped text', () => {
  const misleading = [
    '\0',
    '\u0007',
    '\u001b',
    '\u009b',
    '\u061c',
    '\u200b',
    '\u200e',
    '\u2028',
    '\u202a',
    '\u2066',
    '\ufeff',
    '\u{e0041}',
    '\ud800',
  ]

  it.each(misleading)('holds no %j', (character) => {
    expect(escapeText(`a${character}b`)).not.toContain(character)
  })

  it('leaves letters of every language as they are', () => {
    const text = 'Grüße, 你好, עברית, العربية, emoji 🚀'
    expect(escapeText(text)).toBe(text)
  })
})
