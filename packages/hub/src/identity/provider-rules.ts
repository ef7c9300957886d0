/** An identity provider, as far as its rules decide who signs in: without its secret. */
export interface ProviderRules {
  readonly name: string
  readonly issuer: string
  readonly nameClaim: string
  readonly groupsClaim?: string | undefined
  readonly groups: readonly string[]
  readonly claims: Readonly<Record<string, string | boolean>>
}
