import { parseTokenPath, type Refusal, refuse } from '@latchkey/protocol'

/** Clients of Hugging Face show the sentence as it is, so it speaks to their users too. */
export function noRoute(target: string): Refusal {
  return parseTokenPath(target)?.word === 'xet' ? notCompatible : nothingHere
}

/** The same where a forge runs beside the hub. */
export function noRouteBesideForge(target: string): Refusal {
  const refusal = noRoute(target)
  return refusal === nothingHere ? nothingBesideForge : refusal
}

const tokenRoute =
  '/api/{models|datasets|spaces}/{namespace}/{name}/storage-{read|write}-token/{revision}'

const nothingHere = refuse(
  'not_found',
  `Nothing is served at this path. This is a Latchkey hub: it gives out storage tokens, at ${tokenRoute}, and does not serve the rest of a hub: files, trees, commits, new repositories, whoami-v2. docs/huggingface-clients.md says what Hugging Face clients need beside it.`,
)

const nothingBesideForge = refuse(
  'not_found',
  `Nothing is served at this path. This is a Latchkey hub with a forge: it gives out storage tokens, at ${tokenRoute}, and serves repositories, files, commits and refs to Hugging Face clients and git. docs/forge.md lists the paths.`,
)

const notCompatible = refuse(
  'not_found',
  `This Latchkey hub does not answer the token requests of Hugging Face clients, because it runs without --compat-huggingface. Its operator can turn that on; docs/huggingface-clients.md says how. The same token is at ${tokenRoute}.`,
)
