const core = require('rx-informers');
const node = require('rx-informers/node');
require('rx-informers/client');
require('rx-informers/controller');
require('rx-informers/opentelemetry');
require('rx-informers/prometheus');
require('rx-informers/react');
require('rx-informers/requests');
require('rx-informers/resources');
require('rx-informers/shared-worker');
require('rx-informers/hub');
require('rx-informers/testing');
require('rx-informers/testing/in-memory');
const store = require('rx-informers/store');
require('rx-informers/history');
require('rx-informers/views');
const rxjs = require('rxjs');

void (async () => {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const { check } = await import('./check.mjs');
  await check({ core, store, node, rxjs, KubeConfig });
})();
