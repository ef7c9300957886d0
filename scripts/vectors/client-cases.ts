/** The cases of a client: a hub and a storage by script, a clock that the test moves, calls, and their outcomes. */

import type { ClientDocument } from '@latchkey/testing/vectors/client-script'
import { failureCases } from './client-failures.ts'
import { identityCases } from './client-identities.ts'
import { lifetimeCases } from './client-lifetimes.ts'
import { originCases } from './client-origins.ts'

export const clientDocument: ClientDocument = {
  about: [
    'Cases for a client: it requests storage tokens from a hub and sends storage requests with them. The runner replaces the network and the clock of the client, so no case waits or opens a socket.',
    'World. The true time is now at the start of each case. The local clock of the client shows the true time plus skewSeconds (0 if left out). A wait of the client moves the time and nothing else. Each request goes to a scripted hub if its origin and path begin with the hubUrl of a client and contain "-token/", otherwise to a scripted storage.',
    'Clients. The client named "client" has the members of options, and those of the case\'s options instead. open makes another one in the same way. hubToken: a text; null: no hub token; a list: a function that returns the elements in turn, and the last one again. An outcome at open is that of making the client.',
    'Responses. hub and storage set the responses from now on: each is used once, in this order, and the last one for all further requests. "default" is the response that both give at the start of a case. The default of the hub is a token response: accessToken is access.N.token (N counts the tokens that the hub issued in this case, from 1), exp is the true time in whole seconds plus lifetimeSeconds, casUrl is that of the member token. The default of the storage is 200 with the body of the request if the request carries a token that the hub issued, that is not revoked and whose exp is in the future; otherwise 401.',
    'Members of a response: status (200 if left out); headers (null removes a header, secondsFromNow is an HTTP date); body (text as it is, other values as JSON); token (a token response with these members instead, null removes one); lifetimeSeconds; afterSeconds (the response arrives so much later, but is made when the request arrives). Each response has a Date header with the true time. {text, padTo} is the text followed by letters a up to that length. failure network: the connection breaks. failure silence: there is no response; a client gives up within 30 s.',
    'Steps: advance lets seconds pass. setClock sets skewSeconds. revoke: the storage no longer accepts this access token. close closes a client. count compares the requests since the start of the case: a number, or the least and the greatest. repeat runs its steps so many times.',
    'Calls: token requests a token of this scope from the client. storageRequest sends a request (GET if left out) below the casUrl of the token; path is what the caller of the client wrote. concurrently: so many calls at once, all with this outcome; no response arrives before all calls have begun. client: the name of the client.',
    'Expectations. outcome of success: accessToken, casUrl, exp and scope of the token, or status and body of the response of the storage. outcome of a failure: code, which no success has, and if given status, message, requestId, retryAfterSeconds of the error. alternative: another outcome that is correct. took: least and greatest number of seconds by the clock of the case. sends: exactly the requests that the call sends, in this order; members that are left out are not compared; authorization null: no such header.',
    'After each step the runner checks four rules. A hub token is sent only to its hub and only as "Authorization: Bearer". An access token is sent only below the casUrl of its own token response and only as "Authorization: Bearer". No client follows a redirect. No text of an error contains a hub token or an access token.',
  ],
  now: 1_800_000_000,
  options: {
    hubUrl: 'https://hub.example',
    hubToken: 'lk_hubTokenOfAda',
    repo: 'models/acme/bert',
    revision: 'main',
  },
  token: { casUrl: 'https://cas.example/r/bert/main', lifetimeSeconds: 900 },
  cases: [...lifetimeCases, ...identityCases, ...failureCases, ...originCases],
}
