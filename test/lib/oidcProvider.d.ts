/** Types for the part of the package that tests use; the package has none. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http"

  export class Provider {
    constructor(issuer: string, options: object)
    callback(): RequestListener
  }
}
