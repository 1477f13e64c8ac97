import { forbidden, unauthorized } from '../api-error.js';
import type { ApiRequest } from '../exchange.js';
import { isAllowed, type ApiUser, type Attempt } from './user.js';

const anybody: ApiUser = { name: 'system:anonymous', allow: 'everything' };

/** Who may do what. As long as it knows no token, everybody may do everything. */
export class AccessControl {
  readonly #users: Map<string, ApiUser>;
  /** Until the first user is known; revoking the last one does not open the server again. */
  #open: boolean;

  constructor(users: Readonly<Record<string, ApiUser>> = {}) {
    this.#users = new Map(Object.entries(users));
    this.#open = this.#users.size === 0;
  }

  /** Makes `token` the user's, from the next request on; running watches go on. */
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

  /** Whose request it is; throws 401. */
  authenticate(request: ApiRequest): ApiUser {
    if (request.trusted === true || this.#open) return anybody;
    const [, token = ''] = /^Bearer\s+(.+)$/i.exec(request.headers['authorization'] ?? '') ?? [];
    const user = this.#users.get(token);
    if (user === undefined) throw unauthorized();
    return user;
  }

  /** Throws 403. */
  authorize(user: ApiUser, attempt: Attempt): void {
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
