/** A worker that judges the vectors it is sent: with the bundle, and with the revocation lists of the sources. */

import * as gate from '@latchkey/gate/bundle'
import * as token from '@latchkey/token'
import { judgeRevocations, type Revocations } from './judge-revocations.ts'
import { type Documents, judgeVectors } from './judge-vectors.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    const documents = (await request.json()) as Documents & { readonly revocations: Revocations }
    const [one, other] = [
      await judgeVectors(gate, documents),
      await judgeRevocations({ ...token, ...gate }, documents.revocations),
    ]
    const judged = { ...one.judged, ...other.judged }
    return Response.json({ ...one, judged, complaints: [...one.complaints, ...other.complaints] })
  },
}
