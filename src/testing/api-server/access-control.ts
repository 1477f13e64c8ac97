import { forbidden, unauthorized } from './exchange/api-error.js';
import type { ApiRequest } from './exchange/exchange.js';

/** The user of a bearer token, and the rights of this user. */
export interface ApiUser {
  readonly name: string;
  /** `'everything'`, or rules of which one must allow a request; `[]` forbids everything. */
  readonly allow: 'everything' | readonly AllowRule[];
}

/** Allows requests that match each field; an omitted field matches everything. */
export interface AllowRule {
  /** Any of `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs?: readonly string[] | undefined;
  /** Plurals, such as `pods`. A subresource follows after a slash: `pods/status`. */
  readonly resources?: readonly string[] | undefined;
  /** The API groups; `''` is the core group. */
  readonly groups?: readonly string[] | undefined;
  /** A rule with namespaces does not allow requests at cluster scope. */
  readonly namespaces?: readonly string[] | undefined;
}

/** The action of a request, and its target. */
export interface AccessAttempt {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** The namespace; `''` means cluster scope. */
  readonly namespace: string;
  readonly name: string;
}

export function isAllowed(user: ApiUser, attempt: AccessAttempt): boolean {
  return user.allow === 'everything' || user.allow.some((rule) => allows(rule, attempt));
}

function allows({ verbs, resources, groups, namespaces }: AllowRule, attempt: AccessAttempt): boolean {
  const resource = attempt.subresource ? `${attempt.resource}/${attempt.subresource}` : attempt.resource;
  return (
    (verbs?.includes(attempt.verb) ?? true) &&
    (resources?.includes(resource) ?? true) &&
    (groups?.includes(attempt.group) ?? true) &&
    (namespaces?.includes(attempt.namespace) ?? true)
  );
}

const anybody: ApiUser = { name: 'system:anonymous', allow: 'everything' };

/** The rights of the users. Every request is allowed until the first token is known. */
export class AccessControl {
  readonly #users: Map<string, ApiUser>;
  /** True until the first token is known; revoking the last one does not open it again. */
  #open: boolean;

  constructor(users: Readonly<Record<string, ApiUser>> = {}) {
    this.#users = new Map(Object.entries(users));
    this.#open = this.#users.size === 0;
  }

  /** Sets the user of a token, from the next request on. Running watches continue. */
  grant(token: string, user: ApiUser): void {
    this.#users.set(token, user);
    this.#open = false;
  }

  revoke(token: string): void {
    this.#users.delete(token);
  }

  tokens(): readonly string[] {
    return [...this.#users.keys()];
  }

  /** Returns the user of a request. Throws 401 for a missing or unknown token. */
  authenticate(request: ApiRequest): ApiUser {
    if (request.trusted === true || this.#open) return anybody;
    const [, token = ''] = /^Bearer\s+(.+)$/i.exec(request.headers['authorization'] ?? '') ?? [];
    const user = this.#users.get(token);
    if (user === undefined) throw unauthorized();
    return user;
  }

  /** Throws 403 if the user has no right to this request. */
  authorize(user: ApiUser, attempt: AccessAttempt): void {
    if (isAllowed(user, attempt)) return;
    const { verb, group, resource, subresource, namespace, name } = attempt;
    const kind = subresource ? `${resource}/${subresource}` : resource;
    const scope = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
    throw forbidden(
      { group, kind: resource, name },
      `User "${user.name}" cannot ${verb} resource "${kind}" in API group "${group}" ${scope}`,
    );
  }
}
