/**
 * Answers the questions of an agent about a cluster, over stdin and stdout.
 *
 *   npm start                                an embedded API server whose pods change
 *   npm start -- --context my-cluster        the cluster of a kubeconfig context
 *   npm start -- --kubeconfig config.yaml    the cluster of a kubeconfig
 *   npm start -- --namespace shop            only this namespace
 *   npm start -- --values                    show the values of env and ConfigMaps, too
 *   npm start -- --duration 10               stop after 10 seconds
 */
import { KubeConfig } from '@kubernetes/client-node';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { parseArgs } from 'node:util';
import type { KubeClient } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { createInMemoryApiServer, workload } from 'rx-informers/testing/in-memory';
import { firstValueFrom, fromEvent, merge, NEVER, timer } from 'rxjs';
import { agentServer } from './agent-server.js';
import { clusterFacts } from './cluster-facts.js';

const { values: options } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    context: { type: 'string' },
    namespace: { type: 'string' },
    values: { type: 'boolean' },
    duration: { type: 'string' },
  },
});
const facts = clusterFacts(openCluster(), options.namespace);
const running = facts.connect();
const server = agentServer(facts, options.values);
await server.connect(new StdioServerTransport());

const stop$ = merge(
  options.duration === undefined ? NEVER : timer(Number.parseFloat(options.duration) * 1000),
  fromEvent(process.stdin, 'end'),
  fromEvent(process, 'SIGINT'),
  fromEvent(process, 'SIGTERM'),
);
await firstValueFrom(stop$);
running.unsubscribe();
await server.close();
process.exit();

function openCluster(): KubeClient {
  if (options.kubeconfig === undefined && options.context === undefined) return embeddedCluster();
  const kubeConfig = new KubeConfig();
  if (options.kubeconfig === undefined) kubeConfig.loadFromDefault();
  else kubeConfig.loadFromFile(options.kubeconfig);
  if (options.context !== undefined) kubeConfig.setCurrentContext(options.context);
  return kubeClient(kubeConfig);
}

/** Starts an API server in memory, with a workload whose pods are created, changed and deleted. */
function embeddedCluster(): KubeClient {
  const embedded = createInMemoryApiServer();
  workload(embedded, { nodes: 8, pods: 200, rate: 5 }).subscribe();
  return embedded.client;
}
