import { serviceAccounts } from 'rx-informers';
import { roleBindings, roles } from 'rx-informers/resources';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../../../../src/sources/client/kube-client.js';
import type { Cluster } from '../../../../../test/cluster/support/cluster.js';
import type { DashboardServer } from '../../../server/dashboard-server.js';
import { exchange } from '../../server/exchange.js';
import { cookieIn, host, origin } from '../../server/team.js';

/** The accounts and roles of one namespace of a real API server. */
export interface Accounts {
  create(name: string): Promise<void>;
  /** Creates a role for some verbs on one kind of the core group, with the name of the kind. */
  role(plural: string, verbs: readonly string[]): Promise<void>;
  bind(name: string, role: string): Promise<void>;
  unbind(name: string, role: string): Promise<void>;
  /** Returns a new token of an account. */
  tokenOf(name: string): Promise<string>;
  /** Signs in with a new token of an account, and returns the cookie of the session. */
  signIn(dashboard: DashboardServer, name: string): Promise<string>;
}

export function accountsOf(cluster: Cluster, namespace: string): Accounts {
  const bindingOf = (name: string, role: string): { readonly namespace: string; readonly name: string } => ({
    namespace,
    name: `${name}-${role}`,
  });

  async function tokenOf(name: string): Promise<string> {
    const { status } = await firstValueFrom(
      requestJson<{ readonly status: { readonly token: string } }>(cluster.client, {
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
        body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
      }),
    );
    return status.token;
  }

  return {
    async create(name) {
      await cluster.create(serviceAccounts, { metadata: { namespace, name } });
    },
    async role(plural, verbs) {
      const rules = [{ apiGroups: [''], resources: [plural], verbs }];
      await cluster.create(roles, { metadata: { namespace, name: plural }, rules });
    },
    async bind(name, role) {
      await cluster.create(roleBindings, {
        metadata: bindingOf(name, role),
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role },
        subjects: [{ kind: 'ServiceAccount', namespace, name }],
      });
    },
    async unbind(name, role) {
      await cluster.remove(roleBindings, { metadata: bindingOf(name, role) });
    },
    tokenOf,
    async signIn(dashboard, name) {
      const answer = await exchange(dashboard.url, '/login', {
        method: 'POST',
        headers: { host, origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token: await tokenOf(name) }).toString(),
      });
      if (answer.status !== 303) throw new Error(`the sign-in was answered with ${answer.status ?? 0}`);
      return cookieIn(answer);
    },
  };
}
