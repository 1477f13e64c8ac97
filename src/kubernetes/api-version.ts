import { RxInformersError } from './rx-informers-error.js';

/** An API group and one of its versions; the core group is `''`. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** The `apiVersion` that objects of a group and version carry: `v1` in the core group, otherwise for example `apps/v1`. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Returns the part of an `apiVersion` before the slash, `''` for the core group. Never throws. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}

/** The inverse of `apiVersionOf`; throws `InvalidApiVersionError` for what is neither `version` nor `group/version`. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const match = /^(?:([a-z0-9][-.a-z0-9]*)\/)?([a-z0-9][-a-z0-9]*)$/.exec(apiVersion);
  const [, group = '', version] = match ?? [];
  if (version === undefined) throw new InvalidApiVersionError(apiVersion);
  return { group, version };
}

/**
 * Thrown where an `apiVersion` is neither `version` nor `group/version`.
 *
 * **What to do**: Correct the text, for example `v1` or `apps/v1`.
 */
export class InvalidApiVersionError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_API_VERSION';
  override readonly name = 'InvalidApiVersionError';
  constructor(readonly apiVersion: string) {
    super(
      `invalid apiVersion ${JSON.stringify(apiVersion)}; it has the form v1 (core group) or group/version, such as apps/v1`,
    );
  }
}
