import { KubeConfig } from '@kubernetes/client-node';
import type { BrowserContext } from 'playwright-core';
import { aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { startDashboardServer } from '../../../server/dashboard-server.js';
import { useChromium } from './chromium.js';
import { builtPage } from './dashboard.js';
import { startTlsProxy } from './tls-proxy.js';

export interface TeamStage {
  /**
   * Starts the dashboard of a team, behind a server that ends TLS. The token of ada may do
   * everything. The token of grace may read and change the pods of the namespace `shop`.
   *
   * @param hub true if the dashboard reads for all viewers. Default: false
   */
  start(options?: { readonly hub?: boolean }): Promise<{ readonly api: ApiServer; readonly publicUrl: string }>;
  /** Opens a new browser profile, in which no user has signed in. */
  profile(): Promise<BrowserContext>;
}

/** Starts one browser for the tests of a file. Servers end with the test that started them. */
export function useTeamStage(): TeamStage {
  // A profile that ignores errors of certificates does so in pages, not in WebSockets of workers.
  const openProfile = useChromium(['--ignore-certificate-errors']);
  let close: (() => Promise<void>) | undefined;

  afterEach(async () => {
    await close?.();
    close = undefined;
  });

  return {
    async start({ hub = false } = {}) {
      const pods = [{ verbs: ['get', 'list', 'watch', 'patch', 'delete'], resources: ['pods'], namespaces: ['shop'] }];
      const api = await createApiServer({
        users: {
          'token-of-ada': { name: 'ada', allow: 'everything' },
          'token-of-grace': { name: 'grace', allow: pods },
          'token-of-server': { name: 'server', allow: 'everything' },
        },
      });
      api.apply([aPod({ name: 'secret-plan', namespace: 'lab' }), aPod({ name: 'web', namespace: 'shop' })]);
      const proxy = await startTlsProxy();
      const { publicUrl } = proxy;
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromString(api.kubeconfig('token-of-server'));
      const team = { publicUrl, hub };
      const dashboard = await startDashboardServer({ kubeConfig, page: builtPage, allowWrites: true, team });
      proxy.forwardTo(dashboard.url);
      close = async () => {
        await dashboard.close();
        proxy.close();
        await api.close();
      };
      return { api, publicUrl };
    },
    profile: () => openProfile({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } }),
  };
}
