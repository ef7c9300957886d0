/** What a storage that stands behind the gate in one process serves its requests with. */

export { gateRequestOf } from './adapters/node.ts'
export {
  answerFor,
  type Receive,
  type Received,
  reception,
  storageCors,
} from './adapters/reception.ts'
export { type Placing, placeByPrefix } from './place/locate.ts'
export { type ReadRequest, readRequest } from './request/read-request.ts'
