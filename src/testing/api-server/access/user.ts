/** Who a bearer token belongs to, and what that one may do. */
export interface ApiUser {
  readonly name: string;
  /** `'everything'`, or rules of which one must allow the request; none forbid everything. */
  readonly allow: 'everything' | readonly AllowRule[];
}

/** What a user may do; a part that is left out allows all of its kind. */
export interface AllowRule {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs?: readonly string[] | undefined;
  /** Plurals, with a subresource after a slash: `pods`, `pods/status`. */
  readonly resources?: readonly string[] | undefined;
  /** `''` is the core group. */
  readonly groups?: readonly string[] | undefined;
  /** A rule with namespaces allows nothing at cluster scope. */
  readonly namespaces?: readonly string[] | undefined;
}

/** What a request wants to do to what. */
export interface Attempt {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** `''`: cluster scope. */
  readonly namespace: string;
  readonly name: string;
}

export function isAllowed(user: ApiUser, attempt: Attempt): boolean {
  return user.allow === 'everything' || user.allow.some((rule) => allows(rule, attempt));
}

function allows({ verbs, resources, groups, namespaces }: AllowRule, attempt: Attempt): boolean {
  const resource = attempt.subresource ? `${attempt.resource}/${attempt.subresource}` : attempt.resource;
  return (
    (verbs?.includes(attempt.verb) ?? true) &&
    (resources?.includes(resource) ?? true) &&
    (groups?.includes(attempt.group) ?? true) &&
    (namespaces?.includes(attempt.namespace) ?? true)
  );
}
