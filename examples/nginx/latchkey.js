/** The question to the gate as one hash, so that nginx can keep the answer without writing a token to disk. */

// biome-ignore lint/style/useNodejsImportProtocol: njs has modules of its own, without a protocol
import crypto from 'crypto'

/**
 * Headers that the gate never judges. All others are part of the question: a yes is for a request with the same ones alone.
 * A name that is missing here costs a question; a name that is wrongly here lets requests in.
 */
const unjudged =
  /^(?:host|connection|authorization|user-agent|accept(?:-encoding|-language)?|range|if-(?:match|none-match|range|modified-since|unmodified-since)|content-(?:length|type|encoding|md5)|date|digest|expect|cookie|origin|referer|cache-control|pragma|priority|sec-[a-z-]+|traceparent|tracestate|baggage|x-request-id|x-xet-session-id|x-forwarded-(?:for|proto|host)|x-real-ip)$/i

/** `rawVariables` are bytes: as text, njs would decode the whole token for every request. */
function questionHash(r) {
  const hash = crypto.createHash('sha256')
  hash.update(r.rawVariables.request_method).update('\n')
  hash.update(r.rawVariables.request_uri).update('\n')
  hash.update(r.rawVariables.http_authorization || '')
  for (const name in r.headersIn) {
    if (!unjudged.test(name)) hash.update(`\n${name}: ${r.headersIn[name]}`)
  }
  return hash.digest('hex')
}

export default { questionHash }
