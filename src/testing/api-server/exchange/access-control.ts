import { forbidden, internalError, unauthorized } from './api-error.js';
import type { ApiRequest } from './exchange.js';

/** The user of a bearer token, and the rights of this user. */
export interface ApiUser {
  readonly name: string;
  /** The groups of this user, besides `system:authenticated`, in which every user is. */
  readonly groups?: readonly string[] | undefined;
  /** `'everything'`, or rules of which one must allow a request; `[]` forbids everything. */
  readonly allow: 'everything' | readonly AllowRule[];
}

/** Allows requests that match each field; an omitted field matches everything. */
export interface AllowRule {
  /**
   * Any of `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`,
   * `impersonate`.
   */
  readonly verbs?: readonly string[] | undefined;
  /**
   * Plurals, such as `pods`. A subresource follows after a slash: `pods/status`. A star before the
   * slash means the subresource of every resource.
   */
  readonly resources?: readonly string[] | undefined;
  /** The API groups; `''` is the core group. */
  readonly groups?: readonly string[] | undefined;
  /** A rule with namespaces does not allow requests at cluster scope. */
  readonly namespaces?: readonly string[] | undefined;
  /**
   * The names of the objects. A rule with names allows `list` and `watch` only with the field
   * selector `metadata.name=…`, and never `create` or `deletecollection`, because these have no
   * name, as in the real server.
   */
  readonly resourceNames?: readonly string[] | undefined;
}

/** The action of a request, and its target. */
export interface AccessAttempt {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** The namespace; `''` means cluster scope. */
  readonly namespace: string;
  /** The name of the object; `''` if the request has none. */
  readonly name: string;
}

/** The sender of a request. */
export interface Caller {
  readonly name: string;
  /** All groups of the sender. */
  readonly groups: readonly string[];
  /** The rights of the sender, and of the groups of the sender. */
  readonly allow: ApiUser['allow'];
}

export function isAllowed({ allow }: Caller, attempt: AccessAttempt): boolean {
  return allow === 'everything' || allow.some((rule) => allows(rule, attempt));
}

function allows({ verbs, resources, groups, namespaces, resourceNames }: AllowRule, attempt: AccessAttempt): boolean {
  const { verb, group, resource, subresource, namespace, name } = attempt;
  return (
    (verbs?.includes(verb) ?? true) &&
    (resources?.some((kind) => kind === qualified(resource, subresource) || kind === `*/${subresource}`) ?? true) &&
    (groups?.includes(group) ?? true) &&
    (namespaces?.includes(namespace) ?? true) &&
    (resourceNames?.includes(name) ?? true)
  );
}

function qualified(resource: string, subresource: string): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** Throws 403 if the caller has no right to this request. */
export function authorize(caller: Caller, attempt: AccessAttempt): void {
  if (isAllowed(caller, attempt)) return;
  const { verb, group, resource, subresource, namespace, name } = attempt;
  const scope = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  throw forbidden(
    { group, kind: resource, name },
    `User "${caller.name}" cannot ${verb} resource "${qualified(resource, subresource)}" in API group "${group}" ${scope}`,
  );
}

/** The test itself: `server.client` and `server.apply`. */
const anybody: Caller = { name: 'system:anonymous', groups: ['system:unauthenticated'], allow: 'everything' };

/** The rights of the users. Every request is allowed until the first token is known. */
export class AccessControl {
  readonly #users: Map<string, ApiUser>;
  readonly #groups: Readonly<Record<string, ApiUser['allow']>>;
  /** True until the first token is known; revoking the last one does not open it again. */
  #open: boolean;

  constructor(users: Readonly<Record<string, ApiUser>> = {}, groups: Readonly<Record<string, ApiUser['allow']>> = {}) {
    this.#users = new Map(Object.entries(users));
    this.#groups = groups;
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

  /**
   * Returns the caller of a request: the user of its token, or the user whom this user may
   * impersonate. Throws 401 for a missing or unknown token, and 403 if the impersonation is not
   * allowed.
   */
  authenticate(request: ApiRequest): Caller {
    return this.#impersonated(this.#authenticated(request), request.headers);
  }

  /** Returns the user of a token; `undefined` if it is unknown. */
  ofToken(token: string): Caller | undefined {
    const user = this.#users.get(token);
    return user && this.#callerOf(user.name, user.groups ?? [], user.allow);
  }

  /** Returns a user and groups by their names, with the rights that they have. */
  subject(name: string, groups: readonly string[]): Caller {
    const known = [...this.#users.values()].find((user) => user.name === name);
    return this.#callerOf(
      name,
      [...(known?.groups ?? []), ...groups],
      this.#open ? 'everything' : (known?.allow ?? []),
    );
  }

  #authenticated(request: ApiRequest): Caller {
    if (request.trusted === true || this.#open) return anybody;
    const [, token = ''] = /^Bearer\s+(.+)$/i.exec(request.headers['authorization'] ?? '') ?? [];
    const caller = this.ofToken(token);
    if (caller === undefined) throw unauthorized();
    return caller;
  }

  #callerOf(name: string, stated: readonly string[], own: ApiUser['allow']): Caller {
    const groups = [...new Set([...stated, 'system:authenticated'])];
    const ofGroups = groups.map((group) => (group === 'system:masters' ? 'everything' : (this.#groups[group] ?? [])));
    const allow = [own, ...ofGroups].reduce((all, more) =>
      all === 'everything' || more === 'everything' ? 'everything' : [...all, ...more],
    );
    return { name, groups, allow };
  }

  /** Returns the user of the `Impersonate-…` headers. Throws 403 without the right to do so. */
  #impersonated(caller: Caller, headers: ApiRequest['headers']): Caller {
    const user = headers['impersonate-user'] ?? '';
    const groups = (headers['impersonate-group'] ?? '').split(/,\s*/).filter(Boolean);
    const uid = headers['impersonate-uid'] ?? '';
    const extra = Object.entries(headers).filter(([name]) => name.startsWith('impersonate-extra-'));
    if (user === '') {
      if (groups.length === 0 && uid === '' && extra.length === 0) return caller;
      throw internalError(`requested [${groups.join(' ')}] without impersonating a user`);
    }
    const asks = (resource: string, name: string, where: Partial<AccessAttempt> = {}): void =>
      authorize(caller, { verb: 'impersonate', group: '', resource, subresource: '', namespace: '', name, ...where });
    const inAuthentication = { group: 'authentication.k8s.io' };
    const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
    if (namespace !== undefined && account !== undefined) asks('serviceaccounts', account, { namespace });
    else asks('users', user);
    for (const group of groups) asks('groups', group);
    for (const [name, value] of extra)
      asks('userextras', value, {
        ...inAuthentication,
        subresource: decodeURIComponent(name.slice('impersonate-extra-'.length)),
      });
    if (uid !== '') asks('uids', uid, inAuthentication);
    const ofAccount = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
    return this.subject(user, groups.length > 0 ? groups : ofAccount);
  }
}
