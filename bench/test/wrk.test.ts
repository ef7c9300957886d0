import { describe, expect, it } from 'vitest'
import { readWrk } from '../measure/wrk.ts'

const said = (more: string) => `Running 1s test @ http://127.0.0.1:1/
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.01ms  200.00us   5.00ms   90.00%
  15321 requests in 1.10s, 12.00MB read
${more}Requests/sec:  13928.18
Transfer/sec:     10.91MB
`

describe('what wrk says', () => {
  it('has failures where answers were refused or connections broken', () => {
    expect(readWrk(said('  Non-2xx or 3xx responses: 7\n'))).toMatchObject({ failed: 7 })
    const broken = '  Socket errors: connect 1, read 2, write 3, timeout 4\n'
    expect(readWrk(said(broken))).toMatchObject({ failed: 10 })
  })

  it('has the number of requests', () => {
    expect(readWrk(said(''))).toEqual({ requests: 15321, failed: 0 })
  })

  it('has no requests where wrk has failed', () => {
    expect(readWrk('unable to connect to 127.0.0.1:1 Connection refused')).toEqual({
      ...{ requests: 0, failed: 0 },
    })
  })
})
