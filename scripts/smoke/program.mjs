import { createRequire } from 'node:module';
import { KubeConfig } from '@kubernetes/client-node';
import * as core from 'rx-informers';
import * as controller from 'rx-informers/controller';
import * as node from 'rx-informers/node';
import 'rx-informers/opentelemetry';
import 'rx-informers/prometheus';
import 'rx-informers/react';
import 'rx-informers/resources';
import * as testing from 'rx-informers/testing';
import 'rx-informers/store';
import 'rx-informers/views';
import * as rxjs from 'rxjs';
import { check, checkCopies } from './check.mjs';

await check({ core, node, rxjs, KubeConfig });

const require = createRequire(import.meta.url);
const imported = { core, controller, testing };
const required = {
  core: require('rx-informers'),
  controller: require('rx-informers/controller'),
  testing: require('rx-informers/testing'),
};
await checkCopies(imported, required, rxjs);
await checkCopies(required, imported, rxjs);
