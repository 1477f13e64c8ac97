import { catchError, defer, of, type Observable } from 'rxjs';
import { isRxInformersError, type RxInformersError } from '../../kubernetes/errors.js';
import {
  aggregatedDiscovery,
  aggregatedVersion,
  coreVersions,
  groupList,
  resourceList,
  versionDocument,
  describeGroup,
} from './discovery/discovery.js';
import { openApiV2, openApiIndex, openApiV3 } from './discovery/open-api.js';
import { encodeOpenApiV2, openApiV2Protobuf } from './discovery/protobuf.js';
import { authorize, type AccessControl } from './exchange/access-control.js';
import { internalError, methodNotAllowed, statusBody, unknownResource } from './exchange/api-error.js';
import {
  jsonReply,
  streamReply,
  textReply,
  type ApiReply,
  type ApiRequest,
  type RequestHandler,
} from './exchange/exchange.js';
import { metricsReply } from './metrics-api.js';
import { handleResource } from './resource-handler.js';
import type { Catalog } from './resources/catalog.js';
import { parsePath, type ResourceRoute, type Route, type Verb, verbOf } from './resources/routing.js';
import { reviewReply } from './reviews.js';
import type { ServerContext } from './storage/server-context.js';

/** Creates the core of the server: authenticates, authorizes, routes and answers. */
export function createRequestHandler(context: ServerContext, access: AccessControl): RequestHandler {
  return (request) =>
    defer(() => answer(context, access, request)).pipe(
      catchError((error: unknown) =>
        of(failureReply(isRxInformersError(error, 'RXI_API') ? error : internalError(String(error)))),
      ),
    );
}

function answer(context: ServerContext, access: AccessControl, request: ApiRequest): Observable<ApiReply> {
  const caller = access.authenticate(request);
  const review = reviewReply(access, caller, request);
  if (review !== undefined) return of(review);
  const route = parsePath(request.path, context.catalog);
  if (route.type !== 'resource') return of(requestAttempt(context, route, request));
  const verb = verbOf(request, route);
  authorize(caller, attemptOf(verb, route, request));
  if (route.resource.isComputed) return of(metricsReply(context, request, route));
  return handleResource(context, caller, request, route, verb);
}

/** Returns what a request asks for. The name of a list or watch is that of its field selector. */
function attemptOf(verb: Verb, { resource, namespace, name, subresource }: ResourceRoute, { query }: ApiRequest) {
  const [, selected = ''] = /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get('fieldSelector') ?? '') ?? [];
  const named = name === '' && (verb === 'list' || verb === 'watch') ? selected : name;
  return { verb, group: resource.group, resource: resource.plural, subresource, namespace, name: named };
}

function requestAttempt(
  { catalog }: ServerContext,
  route: Exclude<Route, { readonly type: 'resource' }>,
  request: ApiRequest,
): ApiReply {
  assertReadable(route, request);
  switch (route.type) {
    case 'discovery': {
      const version = aggregatedVersion(request.headers['accept']);
      if (version === undefined) return jsonReply(200, route.of === 'groups' ? groupList(catalog) : coreVersions());
      return jsonReply(200, aggregatedDiscovery(catalog, route.of, version), {
        'content-type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      });
    }
    case 'group':
      return jsonReply(200, { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(catalog, route.group) });
    case 'group-version':
      return jsonReply(200, resourceList(catalog, route.group, route.version));
    case 'openapi-v2':
      return openApiV2Reply(catalog, request);
    case 'openapi-v3': {
      if (route.document === '') return jsonReply(200, openApiIndex(catalog));
      const document = openApiV3(catalog, route.document, versionDocument.gitVersion);
      return document === undefined ? pathNotFound() : jsonReply(200, document);
    }
    case 'version':
      return jsonReply(200, versionDocument);
    case 'health':
      return textReply(200, 'ok');
    case 'unknown-resource':
      throw unknownResource();
    case 'unknown-path':
      return pathNotFound();
  }
  return route satisfies never;
}

function openApiV2Reply(catalog: Catalog, { headers }: ApiRequest): ApiReply {
  const document = openApiV2(catalog, versionDocument.gitVersion);
  if (headers['accept']?.includes('proto-openapi.spec.v2') !== true) return jsonReply(200, document);
  return streamReply(200, encodeOpenApiV2(document), { 'content-type': openApiV2Protobuf });
}

function pathNotFound(): ApiReply {
  return textReply(404, '404 page not found\n');
}

/** Throws 405 for a method other than GET on a discovery document. */
function assertReadable(route: Route, { method }: ApiRequest): void {
  if (route.type === 'unknown-path' || route.type === 'unknown-resource') return;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
}

function failureReply(error: RxInformersError<'RXI_API'>): ApiReply {
  const seconds = error.status.details?.retryAfterSeconds;
  return jsonReply(
    error.status.code,
    statusBody(error),
    seconds === undefined ? {} : { 'retry-after': String(seconds) },
  );
}
