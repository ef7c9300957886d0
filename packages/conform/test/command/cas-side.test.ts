import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, onTestFinished, test } from 'vitest'
import type { ConformFlags } from '../../src/command/options.ts'
import { runConform } from '../../src/command/run-conform.ts'

const cas = 'http://127.0.0.1:9/r/{repo}/{ref}'

async function run(flags: ConformFlags) {
  const [printed, told] = [[] as string[], [] as string[]]
  const output = {
    print: (text: string) => void printed.push(text),
    tell: (line: string) => void told.push(line),
  }
  const end = await runConform(flags, output).catch((error: unknown) => error)
  // The latchkey command escapes a line end within a line.
  expect(told.join('')).not.toContain('\n')
  return { end, printed: printed.join(''), told: told.join('\n') }
}

// biome-ignore format: a table is read by its columns
test.each<[string, ConformFlags, RegExp]>([
  ['no server',             {},                                            /--hub and the URL of a hub, or --cas/],
  ['two servers',           { cas, hub: 'http://127.0.0.1:9' },            /--hub and --cas exclude each other/],
  ['no place in its URL',   { cas: 'http://127.0.0.1:9/r' },               /--cas must be .* \{repo\} and \{ref\}/],
  ['no ref in its URL',     { cas: 'http://127.0.0.1:9/{repo}' },          /--cas must be .* \{repo\} and \{ref\}/],
  ['a path with a query',   { cas, files: '/files?name={name}' },          /--files must be a path with \{name\} or \{sha256\}/],
  ['no name of a file',     { cas, files: '/files' },                      /--files must be a path/],
  ['an impossible port',    { cas, hubPort: '65536' },                     /--hub-port must be a number/],
  ['no time',               { cas, wait: '0' },                            /--wait must be a number of seconds/],
  ['checks of a hub alone', { cas, profile: ['token-api'] },               /no check of these profiles/],
])('a run with %s ends in a line about its usage', async (_, flags, message) => {
  const { end, printed } = await run(flags)
  expect([end, printed]).toEqual([
    expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }),
    '',
  ])
})

test('a run whose port is taken says which', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { end } = await run({ cas, hubPort: String(port) })
  expect(end).toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(`the port ${port} cannot be used: .*EADDRINUSE`),
  })
})

test('a run prints the configuration of the server under test, and says why that was not reached', async () => {
  const hubPort = String(await freePort())
  const { end, told } = await run({ cas, hubPort, wait: '0.1' })
  expect(told).toContain(`hub URL (and issuer)  http://127.0.0.1:${hubPort}\n`)
  expect(told).toContain(`storage URL           ${cas}\n`)
  expect(end).toMatchObject({ exitCode: 3, message: expect.stringContaining('ECONNREFUSED') })
})

test('a list has the checks of both sides, or of the named one', async () => {
  const both = (await run({ list: true })).printed
  const one = (await run({ list: true, cas })).printed
  const revoked = 'revoked-token  Guarantees / Every gate rejects a revoked token within'
  expect([both, one]).toEqual([expect.stringContaining(revoked), expect.stringContaining(revoked)])
  const issues = 'Endpoints / The method is GET'
  expect([both.includes(issues), one.includes(issues)]).toEqual([true, false])
})
