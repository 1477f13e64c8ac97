/** A controller of ConfigMaps in its own process. The test decides what its runs do. */
import { KubeConfig } from '@kubernetes/client-node';
import { configMaps, informer, listWatch } from 'rx-informers';
import { controller, leader$ } from 'rx-informers/controller';
import { consoleLogger, kubeClient, manager } from 'rx-informers/node';
import { lease } from './lease.js';

const [task, port, kubeConfigFile = ''] = process.argv.slice(2);
const kubeConfig = new KubeConfig();
kubeConfig.loadFromFile(kubeConfigFile);
const client = kubeClient(kubeConfig);
const logger = consoleLogger({ json: true });
const cache = informer(listWatch(client, configMaps));

const tasks: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  'wait for ever': () => new Promise(() => undefined),
  'stop the cache': () => {
    cache.stop();
  },
  'leave a timer': () => {
    setInterval(() => undefined, 1_000);
  },
};

await manager({
  controllers: [
    controller({
      name: 'web',
      for: cache,
      logger,
      reconcile: ({ logger: ofRun }) => {
        ofRun.info({}, 'running');
        return tasks[task ?? '']?.();
      },
    }),
  ],
  leader: leader$(client, { lease, identity: 'program', logger }),
  health: { port: Number(port), host: '127.0.0.1' },
  logger,
}).run();
logger.info({}, 'run() has resolved');
