import { authorize, isAllowed, type AccessControl, type Caller } from './exchange/access-control.js';
import { badRequest, fieldProblem, invalid, methodNotAllowed } from './exchange/api-error.js';
import { jsonReply, type ApiReply, type ApiRequest } from './exchange/exchange.js';
import { objectField, stringAt, type JsonObject } from './exchange/json.js';
import { decodeBody } from './write/decode-body.js';

const path = /^\/apis\/(authorization|authentication)\.k8s\.io\/v1\/(?:namespaces\/([^/]+)\/)?(\w+reviews)$/;

/**
 * Answers reviews, as the real server does. Every user may ask about themselves: the identity
 * (`SelfSubjectReview`), the permission for one action (`SelfSubjectAccessReview`), and all rights
 * in a namespace (`SelfSubjectRulesReview`). The right to create reviews is needed to ask about
 * others (`SubjectAccessReview`, `LocalSubjectAccessReview`) and about tokens (`TokenReview`).
 * Returns `undefined` for other requests.
 */
export function reviewReply(access: AccessControl, caller: Caller, request: ApiRequest): ApiReply | undefined {
  const [, group = '', namespace = '', plural = ''] = path.exec(request.path) ?? [];
  const review = reviewers[`${group}/${namespace === '' ? '' : 'namespaced/'}${plural}`];
  if (review === undefined) return undefined;
  if (request.method !== 'POST') throw methodNotAllowed();
  const apiGroup = `${group}.k8s.io`;
  if (!plural.startsWith('self'))
    authorize(caller, { verb: 'create', group: apiGroup, resource: plural, subresource: '', namespace, name: '' });
  const spec = objectField(decodeBody(request, 'must be a review').value, 'spec');
  const { kind, status } = review({ access, caller, namespace }, spec);
  const metadata = { ...(namespace === '' ? {} : { namespace }), creationTimestamp: null };
  return jsonReply(201, { kind, apiVersion: `${apiGroup}/v1`, metadata, spec, status });
}

interface Review {
  readonly kind: string;
  readonly status: JsonObject;
}

interface ReviewRequest {
  readonly access: AccessControl;
  readonly caller: Caller;
  /** The namespace of a LocalSubjectAccessReview. */
  readonly namespace: string;
}

const reviewers: Readonly<Record<string, (request: ReviewRequest, spec: JsonObject) => Review>> = {
  'authentication/selfsubjectreviews': ({ caller }) => ({
    kind: 'SelfSubjectReview',
    status: { userInfo: userInfo(caller) },
  }),
  'authentication/tokenreviews': ({ access }, spec) => ({
    kind: 'TokenReview',
    status: tokenStatus(access, stringAt(spec, 'token') ?? ''),
  }),
  'authorization/selfsubjectaccessreviews': ({ caller }, spec) => ({
    kind: 'SelfSubjectAccessReview',
    status: { allowed: mayDo(caller, spec) },
  }),
  'authorization/selfsubjectrulesreviews': ({ caller }, spec) => ({
    kind: 'SelfSubjectRulesReview',
    status: {
      resourceRules: rulesIn(caller, stringAt(spec, 'namespace') ?? ''),
      nonResourceRules: [],
      incomplete: false,
    },
  }),
  'authorization/subjectaccessreviews': ({ access }, spec) => ({
    kind: 'SubjectAccessReview',
    status: { allowed: mayDo(subjectOf(access, spec), spec) },
  }),
  'authorization/namespaced/localsubjectaccessreviews': ({ access, namespace }, spec) => {
    const subject = subjectOf(access, spec);
    const stated = stringAt(objectField(spec, 'resourceAttributes'), 'namespace') ?? '';
    if (stated !== namespace)
      throw invalidReview('spec.resourceAttributes.namespace', `"${stated}": must match metadata.namespace`);
    return { kind: 'LocalSubjectAccessReview', status: { allowed: mayDo(subject, spec) } };
  },
};

function userInfo({ name, groups }: Caller): JsonObject {
  return { username: name, groups: [...groups] };
}

function tokenStatus(access: AccessControl, token: string): JsonObject {
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const caller = access.ofToken(token);
  return caller === undefined
    ? { user: {}, error: 'invalid bearer token' }
    : { authenticated: true, user: userInfo(caller), audiences: ['https://kubernetes.default.svc'] };
}

function subjectOf(access: AccessControl, spec: JsonObject): Caller {
  const user = stringAt(spec, 'user') ?? '';
  const groups = Array.isArray(spec['groups']) ? spec['groups'].map(String) : [];
  if ((spec['resourceAttributes'] === undefined) === (spec['nonResourceAttributes'] === undefined))
    throw invalidReview(
      'spec.resourceAttributes',
      '"null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  if (user === '' && groups.length === 0)
    throw invalidReview('spec.user', '"": at least one of user or group must be specified');
  return access.subject(user, groups);
}

function invalidReview(field: string, problem: string): Error {
  return invalid({ group: 'authorization.k8s.io', kind: '' }, [fieldProblem('Invalid', field, problem)]);
}

function mayDo(subject: Caller, spec: JsonObject): boolean {
  const attributes = objectField(spec, 'resourceAttributes');
  const text = (name: string): string => stringAt(attributes, name) ?? '';
  // The review is about a path such as /healthz. All users may read such paths.
  if (spec['resourceAttributes'] === undefined) return true;
  return isAllowed(subject, {
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  });
}

function rulesIn({ allow }: Caller, namespace: string): readonly JsonObject[] {
  const all = ['*'];
  const rules = allow === 'everything' ? [{}] : allow;
  return rules
    .filter(({ namespaces }) => namespaces?.includes(namespace) ?? true)
    .map(({ verbs = all, groups = all, resources = all, resourceNames }) => ({
      verbs: [...verbs],
      apiGroups: [...groups],
      resources: [...resources],
      ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
    }));
}
