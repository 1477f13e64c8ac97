import { ApiError } from '../api-error.js';
import type { ServedResource } from '../resources/served-resource.js';

export type Form = 'full' | 'metadata' | 'table';

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const jsonTypes = new Set(['application/json', '*/*']);

/** The first form in the `Accept` header that the server has; throws 406 where there is none. */
export function negotiate(
  accept: string | undefined,
  resource: ServedResource,
  of: 'object' | 'list' | 'events',
): Form {
  const ranges = parseAccept(accept ?? '*/*').filter(({ type }) => jsonTypes.has(type));
  if (ranges.length === 0) {
    throw notAcceptable(
      '406: Not Acceptable\n\nAvailable representations: application/json, application/json;stream=watch',
      {},
    );
  }
  for (const { parameters } of ranges) {
    const as = parameters.get('as');
    if (as === undefined) return 'full';
    const known =
      parameters.get('g') === 'meta.k8s.io' && (parameters.get('v') === 'v1' || parameters.get('v') === 'v1beta1');
    if (known && as === 'Table') return 'table';
    if (known && as === 'PartialObjectMetadata')
      return assertFits(of !== 'list', as, `a list (*${goType(resource, of)})`);
    if (known && as === 'PartialObjectMetadataList')
      return assertFits(of === 'list', as, `not a list (*${goType(resource, of)})`);
  }
  throw notAcceptable('only the following media types are accepted: application/json');
}

function assertFits(fits: boolean, as: string, found: string): Form {
  if (fits) return 'metadata';
  throw notAcceptable(`you requested ${as}, but the requested object is ${found}`);
}

function goType(resource: ServedResource, of: 'object' | 'list' | 'events'): string {
  return `${resource.version}.${of === 'list' ? resource.listKind : resource.kind}`;
}

function parseAccept(accept: string): readonly MediaRange[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    return {
      type,
      parameters: new Map(
        parameters.map((parameter) => {
          const [name = '', value = ''] = parameter.split('=');
          return [name, value] as const;
        }),
      ),
    };
  });
}

function notAcceptable(message: string, details?: object): ApiError {
  return new ApiError(406, 'NotAcceptable', message, details ? { details } : {});
}
