/** Asks for a hub token: hidden on a terminal, otherwise the first line of standard input. */

import type { Secret } from '@latchkey/protocol'
import { refused, type Stop, wrongUsage } from '../output/stop.ts'
import { parseHubToken } from '../reading/hub-token.ts'

export async function askHubToken(url: string): Promise<Secret<'hub-token'>> {
  const text = process.stdin.isTTY ? await askOnTerminal(url) : await readLine()
  const token = parseHubToken(text.trim())
  if (token === undefined) throw noToken()
  return token
}

/** The question goes to standard error; where that is no terminal, nobody could see it. */
async function askOnTerminal(url: string): Promise<string> {
  const { stdin: input, stderr: output } = process
  if (!output.isTTY)
    throw wrongUsage('the hub token is asked for on a terminal: show standard error there')
  // Only a person at a terminal waits for it to load.
  const { isCancel, password } = await import('@clack/prompts')
  const end = new AbortController()
  const onKey = (_: unknown, { ctrl, name }: { ctrl: boolean; name: string }) => {
    if (ctrl && name === 'd') end.abort()
  }
  input.on('keypress', onKey)
  const answer = await password({
    message: `Hub token for ${url}`,
    input,
    output,
    signal: end.signal,
  })
  input.off('keypress', onKey)
  if (isCancel(answer)) throw refused('cancelled; nothing has changed')
  return answer
}

const longestLine = 4096

async function readLine(): Promise<string> {
  let text = ''
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part
    if (text.includes('\n') || text.length > longestLine) break
  }
  if (text === '') throw wrongUsage('standard input is empty: give the hub token as its first line')
  return text.split('\n')[0] ?? ''
}

function noToken(): Stop {
  return wrongUsage(
    'this is no hub token: give one word without spaces, as latchkey hub-token create shows it',
  )
}
