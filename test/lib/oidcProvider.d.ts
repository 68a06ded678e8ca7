/** The part of the package that tests use; it comes without types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http"

  export class Provider {
    constructor(issuer: string, options: object)
    callback(): RequestListener
  }
}
