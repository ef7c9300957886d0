/** What the TypeScript compiler, a program in Go, is started with: it ends before collecting garbage pays, unless memory is short. */
export const tscEnvironment = { GOGC: 'off', GOMEMLIMIT: '2GiB' }
