import { describe, expect, it } from 'vitest'
import { readOptions } from '../measure/options.ts'

const read = (...words: string[]) => readOptions(words, {})

describe('the options of a benchmark', () => {
  it.each([
    [['--rounds', '0'], '--rounds is a whole number above 0'],
    [['--rounds', 'many'], '--rounds is a whole number above 0'],
    [['--database', 'mysql'], '--database is one of sqlite, postgres'],
    [['--header', 'a: b'], '--header and --peer-pid need --peer'],
    [['--peer', 'https://127.0.0.1/'], '--peer is an address that begins with http://'],
    [['--peer', 'http://127.0.0.1/', '--header', 'a: b\r\nc: d'], '--header is written like'],
    [['--peer', 'http://127.0.0.1/', '--header', 'ab'], '--header is written like'],
    [['--peer', 'http://127.0.0.1/', '--peer-pid', '-1'], 'peer-pid'],
    [['--fast'], 'fast'],
  ])('refuse %j', (words, message) => {
    expect(() => read(...words)).toThrow(message)
  })

  it('choose parts by name, several between commas', () => {
    expect(read('--only', 'issue,client').only).toEqual(['issue', 'client'])
    expect(read().only).toEqual([])
  })

  it('take the rounds from the environment, unless they are given', () => {
    const environment = { ROUNDS: '3', ROUND_MS: '4000', REPOSITORIES: '10' }
    expect(readOptions([], environment)).toMatchObject({
      rounds: 3,
      roundMs: 4000,
      repositories: 10,
    })
    expect(readOptions(['--rounds', '5'], environment).rounds).toBe(5)
    expect(read().rounds).toBeUndefined()
  })

  it('name a server of somebody else', () => {
    const words = [
      '--peer',
      'http://127.0.0.1:9/t',
      '--header',
      'authorization: Bearer x',
      '--peer-pid',
      '7',
    ]
    expect(read(...words).peer).toEqual({
      ...{ url: 'http://127.0.0.1:9/t', headers: ['authorization: Bearer x'], pid: 7 },
    })
  })
})
