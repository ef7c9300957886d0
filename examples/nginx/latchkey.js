/** The question to the gate as one hash, so that nginx can keep the answer without writing a token to disk. */

// biome-ignore lint/style/useNodejsImportProtocol: njs has modules of its own, without a protocol
import crypto from 'crypto'

/** Every other header that can change the gate's answer: a yes is not for a request that has others of these. */
const judged = /^(latchkey|x[-_](http|method|original|rewrite)|upgrade$|trailer$)/i

/** `rawVariables` are bytes: as text, njs would decode the whole token for every request. */
function questionHash(r) {
  const hash = crypto.createHash('sha256')
  hash.update(r.rawVariables.request_method).update('\n')
  hash.update(r.rawVariables.request_uri).update('\n')
  hash.update(r.rawVariables.http_authorization || '')
  for (const name in r.headersIn) {
    if (judged.test(name)) hash.update(`\n${name}: ${r.headersIn[name]}`)
  }
  return hash.digest('hex')
}

export default { questionHash }
