import { expect, it } from 'vitest'
import { childEnvironment } from '../../src/machine/child/launch-child.ts'

it('of the environment only what is on the list is passed on', () => {
  const passedOn = {
    ...{ PATH: '/bin', HOME: '/root', TZ: 'UTC', LANG: 'C', LC_ALL: 'C', TMPDIR: '/tmp' },
    ...{ NODE_EXTRA_CA_CERTS: 'a.pem', SSL_CERT_FILE: 'b.pem', NODE_COMPILE_CACHE: '/cache' },
    PGPASSFILE: 'pgpass',
  }
  const kept = {
    ...{ LATCHKEY_MASTER_KEY: 's', LATCHKEY_MASTER_KEY_FILE: 's', LATCHKEY_DATA: 'data' },
    ...{
      AWS_SECRET_ACCESS_KEY: 's',
      PGPASSWORD: 's',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: 'x',
      path: 's',
    },
    ...{ MY_LC_SECRET: 's', NODE_CHANNEL_FD: '3' },
  }
  expect(childEnvironment({ ...kept, ...passedOn, TERM: undefined })).toEqual(passedOn)
})
