import { isAllowed, type ApiUser } from './access-control.js';
import { methodNotAllowed } from './exchange/api-error.js';
import { jsonReply, type ApiReply, type ApiRequest } from './exchange/exchange.js';
import { objectField, stringAt, type JsonObject } from './exchange/json.js';
import { decodeBody } from './write/decode-body.js';

const path = /^\/apis\/(authorization|authentication)\.k8s\.io\/v1\/(selfsubject\w+)$/;

/**
 * Answers reviews of the requesting user: the identity of the user (`SelfSubjectReview`), the
 * permission for one action (`SelfSubjectAccessReview`), and all rights in a namespace
 * (`SelfSubjectRulesReview`). Returns `undefined` for other requests.
 */
export function selfReview(user: ApiUser, request: ApiRequest): ApiReply | undefined {
  const [, group, plural] = path.exec(request.path) ?? [];
  const review = reviewers[`${group ?? ''}/${plural ?? ''}`];
  if (review === undefined) return undefined;
  if (request.method !== 'POST') throw methodNotAllowed();
  const spec = objectField(decodeBody(request, 'must be a review').value, 'spec');
  const { kind, status } = review(user, spec);
  const apiVersion = `${group ?? ''}.k8s.io/v1`;
  return jsonReply(201, { kind, apiVersion, metadata: { creationTimestamp: null }, spec, status });
}

interface Review {
  readonly kind: string;
  readonly status: JsonObject;
}

const reviewers: Readonly<Record<string, (user: ApiUser, spec: JsonObject) => Review>> = {
  'authentication/selfsubjectreviews': ({ name }) => ({
    kind: 'SelfSubjectReview',
    status: { userInfo: { username: name, groups: ['system:authenticated'] } },
  }),
  'authorization/selfsubjectaccessreviews': (user, spec) => ({
    kind: 'SelfSubjectAccessReview',
    status: { allowed: mayDo(user, spec) },
  }),
  'authorization/selfsubjectrulesreviews': (user, spec) => ({
    kind: 'SelfSubjectRulesReview',
    status: {
      resourceRules: rulesIn(user, stringAt(spec, 'namespace') ?? ''),
      nonResourceRules: [],
      incomplete: false,
    },
  }),
};

function mayDo(user: ApiUser, spec: JsonObject): boolean {
  const attributes = objectField(spec, 'resourceAttributes');
  const text = (name: string): string => stringAt(attributes, name) ?? '';
  // The review is about a path such as /healthz. All users may read such paths.
  if (spec['resourceAttributes'] === undefined) return true;
  return isAllowed(user, {
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  });
}

function rulesIn({ allow }: ApiUser, namespace: string): readonly JsonObject[] {
  const all = ['*'];
  const rules = allow === 'everything' ? [{}] : allow;
  return rules
    .filter(({ namespaces }) => namespaces?.includes(namespace) ?? true)
    .map(({ verbs = all, groups = all, resources = all }) => ({
      verbs: [...verbs],
      apiGroups: [...groups],
      resources: [...resources],
    }));
}
