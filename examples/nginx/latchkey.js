/** The question to the gate as one hash, so that nginx can keep the answer without writing a token to disk. */

// biome-ignore lint/style/useNodejsImportProtocol: njs has modules of its own, without a protocol
import crypto from 'crypto'

/** Every header that can change the gate's answer: a yes is not for a request that has others of these. */
const judged = /^(authorization$|latchkey|x[-_](http|method|original|rewrite)|upgrade$|trailer$)/i

function questionHash(r) {
  const headers = r.rawHeadersIn.filter((header) => judged.test(header[0]))
  const question = [r.variables.request_method, r.variables.request_uri, headers]
  return crypto.createHash('sha256').update(JSON.stringify(question)).digest('hex')
}

export default { questionHash }
