import { KubeConfig } from '@kubernetes/client-node';
import * as core from 'rx-informers';
import * as node from 'rx-informers/node';
import 'rx-informers/controller';
import 'rx-informers/opentelemetry';
import 'rx-informers/prometheus';
import 'rx-informers/react';
import 'rx-informers/testing';
import 'rx-informers/views';
import * as rxjs from 'rxjs';
import { check } from './check.mjs';

await check({ core, node, rxjs, KubeConfig });
