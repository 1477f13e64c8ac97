import { KubeConfig } from '@kubernetes/client-node';
import { createRequire } from 'node:module';
import * as core from 'rx-informers';
import 'rx-informers/client';
import * as controller from 'rx-informers/controller';
import * as node from 'rx-informers/node';
import 'rx-informers/opentelemetry';
import 'rx-informers/prometheus';
import 'rx-informers/react';
import * as requests from 'rx-informers/requests';
import 'rx-informers/resources';
import 'rx-informers/shared-worker';
import 'rx-informers/hub';
import * as store from 'rx-informers/store';
import * as testing from 'rx-informers/testing';
import * as inMemory from 'rx-informers/testing/in-memory';
import 'rx-informers/history';
import 'rx-informers/views';
import * as rxjs from 'rxjs';
import { check, checkCopies } from './check.mjs';

await check({ core, store, node, rxjs, KubeConfig });

const require = createRequire(import.meta.url);
const imported = { core, controller, requests, testing, inMemory };
const required = {
  core: require('rx-informers'),
  controller: require('rx-informers/controller'),
  requests: require('rx-informers/requests'),
  testing: require('rx-informers/testing'),
  inMemory: require('rx-informers/testing/in-memory'),
};
await checkCopies(imported, required, rxjs);
await checkCopies(required, imported, rxjs);
