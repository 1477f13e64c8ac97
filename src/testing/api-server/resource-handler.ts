import { map, of, type Observable } from 'rxjs';
import { internalError } from './exchange/api-error.js';
import { jsonReply, type ApiReply, type ApiRequest } from './exchange/exchange.js';
import { evictionReply, podLogReply } from './pod-subresources.js';
import { isStreamingList, parseListOptions, parseResourceVersion, type ListParameters } from './read/list-options.js';
import { list, whenReached } from './read/list.js';
import { representationFor } from './read/representation.js';
import { parseSelection, type SelectedObjects } from './read/selection.js';
import { watch } from './read/watch.js';
import type { ResourceRoute, Verb } from './resources/routing.js';
import { scaleReply } from './scale.js';
import { warningHeaders } from './schema/field-validation.js';
import type { ServerContext } from './storage/server-context.js';
import { create } from './write/create.js';
import { decodeObject, mediaTypeOf } from './write/decode-body.js';
import { deleteCollection, deleteObject, deletionReply } from './write/delete.js';
import { patch } from './write/patch.js';
import { serverSideApply } from './write/server-side-apply.js';
import { existing, update } from './write/update.js';
import { parseDeleteOptions, parseWriteOptions, type WriteParameters } from './write/write-options.js';

/** Answers a request for objects of one resource. */
export function handleResource(
  context: ServerContext,
  caller: WriteParameters['caller'],
  request: ApiRequest,
  route: ResourceRoute,
  verb: Verb,
): Observable<ApiReply> {
  const { scale } = route.resource;
  if (route.subresource === 'scale' && scale !== undefined)
    return of(scaleReply(context, caller, request, route, scale, verb));
  if (route.subresource === 'log') return of(podLogReply(context, request, route));
  if (route.subresource === 'eviction') return of(evictionReply(context, request, route));
  switch (verb) {
    case 'list':
      return listReply(context, request, route);
    case 'watch':
      return of(watchReply(context, request, route));
    case 'get':
      return getReply(context, request, route);
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
    case 'deletecollection':
      return of(writeReply(context, caller, request, route, verb));
  }
  return verb satisfies never;
}

function getReply(context: ServerContext, request: ApiRequest, route: ResourceRoute): Observable<ApiReply> {
  const representation = representationOf(context, request, route, 'object');
  const version = parseResourceVersion(request.query.get('resourceVersion') ?? '', internalError);
  return whenReached(context.storage, version, context.scheduler).pipe(
    map(() => jsonReply(200, representation.object(existing(context, route)))),
  );
}

function listReply(context: ServerContext, request: ApiRequest, route: ResourceRoute): Observable<ApiReply> {
  const options = parseListOptions(request.query, context.settings);
  const representation = representationOf(context, request, route, 'list');
  return list(context.storage, route.resource, selectionOf(route, options), options, context.scheduler).pipe(
    map(({ items, metadata }) => jsonReply(200, representation.list(items, metadata))),
  );
}

function watchReply(context: ServerContext, request: ApiRequest, route: ResourceRoute): ApiReply {
  const { bookmarkInterval, watchListCompression } = context.settings;
  const options = parseListOptions(request.query, { ...context.settings, watch: true });
  const representation = representationOf(context, request, route, 'events');
  const open = watch(context.storage, route.resource, selectionOf(route, options), options, representation, {
    scheduler: context.scheduler,
    random: context.random,
    bookmarkInterval,
  });
  return {
    type: 'stream',
    status: 200,
    headers: { 'content-type': 'application/json' },
    isCompressible: watchListCompression && isStreamingList(options),
    open,
  };
}

function writeReply(
  context: ServerContext,
  caller: WriteParameters['caller'],
  request: ApiRequest,
  route: ResourceRoute,
  verb: Exclude<Verb, 'list' | 'watch' | 'get'>,
): ApiReply {
  const { resource, namespace, name } = route;
  switch (verb) {
    case 'create': {
      const representation = representationOf(context, request, route, 'object');
      const options = parseWriteOptions(caller, request, 'CreateOptions');
      const { object, warnings } = decodeObject(request, resource, options.fieldValidation);
      const created = create(context, resource, namespace, object, options);
      return jsonReply(201, representation.object(created), warningHeaders(warnings));
    }
    case 'update': {
      const representation = representationOf(context, request, route, 'object');
      const options = parseWriteOptions(caller, request, 'UpdateOptions');
      const { object, warnings } = decodeObject(request, resource, options.fieldValidation);
      const updated = update(context, route, object, options);
      return jsonReply(200, representation.object(updated), warningHeaders(warnings));
    }
    case 'patch': {
      const representation = representationOf(context, request, route, 'object');
      const options = parseWriteOptions(caller, request, 'PatchOptions');
      if (mediaTypeOf(request) !== 'application/apply-patch+yaml') {
        const { object, warnings } = patch(context, route, request, options);
        return jsonReply(200, representation.object(object), warningHeaders(warnings));
      }
      const { object, created, warnings } = serverSideApply(context, route, request, options);
      return jsonReply(created ? 201 : 200, representation.object(object), warningHeaders(warnings));
    }
    case 'delete':
      return deletionReply(resource, deleteObject(context, resource, namespace, name, parseDeleteOptions(request)));
    case 'deletecollection': {
      const options = parseListOptions(request.query, context.settings);
      const representation = representationOf(context, request, route, 'list');
      const selection = selectionOf(route, options);
      const deleted = deleteCollection(context, resource, selection, parseDeleteOptions(request));
      const resourceVersion = String(context.storage.resourceVersion);
      return jsonReply(200, representation.list(deleted, { resourceVersion }));
    }
  }
  return verb satisfies never;
}

function representationOf(
  context: ServerContext,
  request: ApiRequest,
  route: ResourceRoute,
  of: 'object' | 'list' | 'events',
) {
  return representationFor(route.resource, request, of, () => context.scheduler.now());
}

/** Returns the selection. In the deprecated `/watch/…/name`, the name is a field selector. */
function selectionOf({ resource, namespace, name }: ResourceRoute, options: ListParameters): SelectedObjects {
  const byName = name === '' ? [] : [`metadata.name=${name}`];
  const fieldSelector = [options.fieldSelector, ...byName].filter(Boolean).join(',');
  return parseSelection(resource, namespace, { ...options, fieldSelector });
}
