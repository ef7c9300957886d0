/** The verbs at a remote hub, through its admin API. */

import { addressOf, hasBody, type Verb } from '@latchkey/admin-api'
import { isServiceUrl } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text/escape'
import { refusePlainHttp } from '../configuration/plain-http.ts'
import {
  type Environment,
  hubTokenVariable,
  takeSecret,
} from '../configuration/read-environment.ts'
import { wrongUsage } from '../output/stop.ts'
import { parseHubToken } from '../reading/hub-token.ts'
import { askHub, type Hub } from './ask-hub.ts'
import type { Input, Management } from './management.ts'

export function remoteManagement(hub: Hub): Management {
  return {
    run: (verb, input) => askHub(hub, questionFor(verb, input)),
    close: async () => {},
  }
}

function questionFor(verb: Verb, input: Input): { method: string; path: string; body?: string } {
  const { method } = verb
  const { path, rest } = addressOf(verb, input)
  if (hasBody(verb)) return { method, path, body: JSON.stringify(rest) }
  return { method, path: path + queryOf(rest) }
}

function queryOf(members: Input): string {
  const query = new URLSearchParams()
  for (const [member, value] of Object.entries(members)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(member, String(one))
  }
  return query.size === 0 ? '' : `?${query}`
}

/** The hub that `--hub` names, and the token for it; plain http only where nobody can listen. */
export function chooseHub(
  url: string,
  { allowPlainHttp, environment }: { allowPlainHttp: boolean; environment: Environment },
): Hub {
  if (!isServiceUrl(url)) {
    throw wrongUsage(
      `--hub: ${quoteGiven(url)} is not allowed; give the hub's public URL, without trailing slash`,
    )
  }
  refusePlainHttp({ url, called: '--hub', allowPlainHttp })
  const taken = takeSecret(environment, hubTokenVariable)
  const token = parseHubToken(taken?.value ?? '')
  if (token === undefined) {
    throw wrongUsage(
      `--hub needs an admin hub token in ${hubTokenVariable}, or in the file that ${hubTokenVariable}_FILE names`,
    )
  }
  return { url, token, variable: taken?.called ?? hubTokenVariable }
}
