/** A claim set becomes a token, a list of cut-offs a signed head: for the hub alone. */

export * from './sign-token.ts'
export * from './signing-key.ts'
