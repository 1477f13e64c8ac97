import { createRequire } from 'node:module';
import type * as Rfc6902 from 'rfc6902';
import type * as SelfSigned from 'selfsigned';
import type * as Yaml from 'yaml';
import { RxInformersError } from '../../kubernetes/errors.js';

/** The optional peers of the embedded API server. */
interface OptionalPackages {
  /** YAML text in `server.apply` and in the bodies of requests. JSON needs no package. */
  readonly yaml: typeof Yaml;
  /** The certificate of `createApiServer({ tls: true })`. */
  readonly selfsigned: typeof SelfSigned;
  /** JSON Patch requests. */
  readonly rfc6902: typeof Rfc6902;
}

/**
 * A feature of `rx-informers/testing` needs a package that is not installed. The message has the
 * command that installs it.
 *
 * **What to do**: Run the command. The packages are optional, so that programs do not install them.
 */
export class MissingPackageError extends RxInformersError {
  static override readonly code = 'RXI_MISSING_PACKAGE';
  override readonly name = 'MissingPackageError';
  constructor(
    /** For example `yaml`. */
    readonly packageName: string,
    /** The feature that needs it, for example `server.apply with YAML`. */
    readonly feature: string,
    options?: ErrorOptions,
  ) {
    super(`${feature} needs the package ${packageName}: npm install --save-dev ${packageName}`, options);
  }
}

/**
 * Loads an optional package when a feature first needs it. Synchronous, because `server.apply` is.
 *
 * @throws MissingPackageError if it is not installed
 */
export function optionalPackage<N extends keyof OptionalPackages>(name: N, feature: string): OptionalPackages[N] {
  try {
    return createRequire(import.meta.url)(name) as OptionalPackages[N];
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
    throw new MissingPackageError(name, feature, { cause: error });
  }
}
